#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/cost/collective_model.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

constexpr NodeLinks kPerlmutter{.nic_bandwidth = 25e9,
                                .port_bandwidth = 300e9,
                                .gpus_per_node = 4,
                                .nics_per_node = 4,
                                .mesh = true};

GroupPlacement full_nodes(int ranks, int per_node) {
  return {.ranks = ranks, .nodes = ranks / per_node, .ranks_per_node = per_node};
}

/// Round numbers: Simple 10 us a step at half of the links, LL 1 us a step at a tenth; t0 100 and
/// 20 us.
LibraryConstants toy_library() {
  RingConstants ring;
  ring.fixed_network = 100e-6;
  ring.fixed_node = 20e-6;
  ring.simple = {.step_latency_network = 10e-6,
                 .step_latency_node = 4e-6,
                 .network_efficiency = 0.5,
                 .node_efficiency = 0.5};
  ring.low_latency = {.step_latency_network = 1e-6,
                      .step_latency_node = 0.5e-6,
                      .network_efficiency = 0.1,
                      .node_efficiency = 0.1};
  return {.name = "toy", .all_gather = ring, .reduce_scatter = ring};
}

TEST(CollectiveCost, JoinsLatencyAndTransfer) {
  const CollectiveCost simple{.fixed = 1, .latency = 3, .latency_hides = true};
  EXPECT_DOUBLE_EQ(simple.join(4), 1 + 5);
  const CollectiveCost low_latency{.fixed = 1, .latency = 3, .latency_hides = false};
  EXPECT_DOUBLE_EQ(low_latency.join(4), 1 + 7);
}

// 8 ranks on 2 nodes of 4, 4 NICs of 25 GB/s. all_gather of 800 MB: every rank sends 700 MB, every
// NIC 175 MB. Simple: 7 steps = 70 us; 700e6 / (100e9 x 0.5) = 14 ms. LL: 7 us + 70 ms.
TEST(CollectiveModel, TakesSimpleForLargeMessages) {
  const CollectiveModel model(toy_library(), kPerlmutter);
  const CollectiveCost cost = model.cost(CollectiveKind::all_gather, 800'000'000, full_nodes(8, 4));
  EXPECT_TRUE(cost.latency_hides);
  EXPECT_DOUBLE_EQ(cost.fixed, 100e-6);
  EXPECT_DOUBLE_EQ(cost.latency, 70e-6);
  EXPECT_DOUBLE_EQ(cost.network_inflation, 2.0);
  EXPECT_NEAR(model.time_alone(CollectiveKind::all_gather, 800'000'000, full_nodes(8, 4)),
              100e-6 + std::hypot(70e-6, 14e-3), 1e-12);
}

// 80 kB: 70 kB a rank; LL 7 us + 70e3 / 10e9 = 14 us; Simple at least 70 us.
TEST(CollectiveModel, TakesLowLatencyForSmallMessages) {
  const CollectiveModel model(toy_library(), kPerlmutter);
  const CollectiveCost cost = model.cost(CollectiveKind::all_gather, 80'000, full_nodes(8, 4));
  EXPECT_FALSE(cost.latency_hides);
  EXPECT_DOUBLE_EQ(cost.network_inflation, 10.0);
  EXPECT_NEAR(model.time_alone(CollectiveKind::all_gather, 80'000, full_nodes(8, 4)),
              100e-6 + 14e-6, 1e-12);
}

TEST(CollectiveModel, CountsTwiceTheStepsForAllReduce) {
  const CollectiveModel model(toy_library(), kPerlmutter);
  const Bytes bytes = 800'000'000;
  EXPECT_DOUBLE_EQ(model.cost(CollectiveKind::all_reduce, bytes, full_nodes(8, 4)).latency, 140e-6);
  EXPECT_DOUBLE_EQ(model.cost(CollectiveKind::reduce_scatter, bytes, full_nodes(8, 4)).latency,
                   70e-6);
  EXPECT_NEAR(model.time_alone(CollectiveKind::all_reduce, bytes, full_nodes(8, 4)),
              100e-6 + std::hypot(140e-6, 28e-3), 1e-12);
}

// RCCL's halves differ: fixed (114 + 42) / 2; 15 steps of 29.1 and 15 of 26.5 us; 1/0.767 and
// 1/0.798 of the bytes. Its own constants of all_reduce are taken away.
TEST(CollectiveModel, ComposesAllReduceFromItsHalves) {
  LibraryConstants library = shipped_library("rccl-slingshot");
  library.all_reduce.reset();
  library.all_reduce_tree.reset();
  const CollectiveModel model(library, kPerlmutter);
  const CollectiveCost cost = model.cost(CollectiveKind::all_reduce, 1 << 30, full_nodes(16, 8));
  EXPECT_NEAR(cost.fixed, 78e-6, 1e-12);
  EXPECT_NEAR(cost.latency, 15 * (29.1e-6 + 26.5e-6), 1e-12);
  EXPECT_NEAR(cost.network_inflation, (1 / 0.767 + 1 / 0.798) / 2, 1e-12);
}

// Two of four GPUs joined pairwise have one third of their ports: 100 of 300 GB/s, at 0.5: 50 GB/s.
// all_gather of 100 MB on 2 ranks sends 50 MB: 1 ms, and one step of 4 us. Behind a switch: 1/3 ms.
TEST(CollectiveModel, KnowsMeshFromSwitch) {
  const GroupPlacement pair = full_nodes(2, 2);
  const CollectiveModel mesh(toy_library(), kPerlmutter);
  EXPECT_DOUBLE_EQ(mesh.cost(CollectiveKind::all_gather, 100'000'000, pair).node_inflation, 6.0);
  EXPECT_NEAR(mesh.time_alone(CollectiveKind::all_gather, 100'000'000, pair),
              20e-6 + std::hypot(4e-6, 1e-3), 1e-12);
  NodeLinks links = kPerlmutter;
  links.mesh = false;
  const CollectiveModel crossbar(toy_library(), links);
  EXPECT_NEAR(crossbar.time_alone(CollectiveKind::all_gather, 100'000'000, pair),
              20e-6 + std::hypot(4e-6, 1e-3 / 3), 1e-12);
}

// One rank a node has one NIC: 25 GB/s x 0.5. Two ranks that share a NIC (8 GPUs, 4 NICs) have one
// too.
TEST(CollectiveModel, CountsTheNicsOfTheGroupsMembers) {
  const Seconds one_nic = 100e-6 + std::hypot(10e-6, 0.5e9 / 12.5e9);
  const CollectiveModel perlmutter(toy_library(), kPerlmutter);
  EXPECT_NEAR(perlmutter.time_alone(CollectiveKind::all_gather, 1'000'000'000, full_nodes(2, 1)),
              one_nic, 1e-12);
  NodeLinks frontier = kPerlmutter;
  frontier.gpus_per_node = 8;
  const CollectiveModel shared(toy_library(), frontier);
  EXPECT_NEAR(shared.time_alone(CollectiveKind::all_gather, 1'000'000'000, full_nodes(4, 2)),
              100e-6 + std::hypot(30e-6, 0.75e9 / 12.5e9), 1e-12);
}

TEST(CollectiveModel, ChargesNothingForAGroupOfOne) {
  const CollectiveModel model(toy_library(), kPerlmutter);
  EXPECT_EQ(model.time_alone(CollectiveKind::all_reduce, 1 << 20, {}), 0.0);
  EXPECT_EQ(model.cost(CollectiveKind::all_reduce, 1 << 20, {}).join(0.0), 0.0);
}

TEST(CollectiveModel, StaysAboveItsLowerBounds) {
  const CollectiveModel model(shipped_library("nccl-slingshot"), kPerlmutter);
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::broadcast}) {
    for (int ranks = 2; ranks <= 1024; ranks *= 2) {
      Seconds previous = 0.0;
      for (Bytes bytes = 1024; bytes <= Bytes{1} << 32; bytes *= 4) {
        const GroupPlacement group = full_nodes(ranks, std::min(ranks, 4));
        const double wire =
            ring_bytes_per_rank(kind, bytes, ranks) / (group.nodes > 1 ? 100e9 : 300e9);
        const Seconds time = model.time_alone(kind, bytes, group);
        EXPECT_GT(time, wire);
        EXPECT_GT(time, 0.6e-6 * (ranks - 1));
        EXPECT_GE(time, previous);
        previous = time;
      }
    }
  }
}

// AxoNN's measured in-node bandwidths on Perlmutter at 1 GB, in 2^30 bytes/s: 225 for four GPUs, 76
// for two.
TEST(CollectiveModel, MeetsMeasuredBandwidthsInsideANode) {
  const CollectiveModel model(shipped_library("nccl-slingshot"), kPerlmutter);
  const auto bandwidth_GiBps = [&](int ranks) {
    const Bytes bytes = Bytes{1} << 30;
    return ring_bytes_per_rank(CollectiveKind::all_gather, bytes, ranks) / kGiB /
           model.time_alone(CollectiveKind::all_gather, bytes, full_nodes(ranks, ranks));
  };
  EXPECT_NEAR(bandwidth_GiBps(4), 225, 0.02 * 225);
  EXPECT_NEAR(bandwidth_GiBps(2), 76, 0.02 * 76);
}

struct Measured {
  int gpus;
  std::vector<double> milliseconds;  ///< at 1, 4, 16, 64, 128, 256, 512, 1024 MiB gathered
};

// NCCL all_gather on Perlmutter, medians (axonn-ai/sc2025-pccl-reproducer).
TEST(CollectiveModel, AgreesWithPerlmuttersAllGathers) {
  const CollectiveModel model(shipped_library("nccl-slingshot"), kPerlmutter);
  const std::vector<Measured> measured = {{32, {.413, .511, .785, 1.32, 2.28, 4.38, 8.41, 16.8}},
                                          {64, {.523, .794, 1.25, 1.69, 2.67, 4.60, 8.86, 17.2}},
                                          {128, {.952, 1.35, 1.82, 2.85, 3.39, 4.91, 9.17, 17.8}},
                                          {256, {1.67, 1.97, 2.97, 4.87, 5.40, 6.80, 10.1, 19.0}},
                                          {512, {3.31, 3.98, 5.31, 6.66, 9.49, 10.7, 13.1, 20.2}},
                                          {1024, {6.37, 6.92, 7.98, 10.8, 13.1, 18.6, 20.8, 26.6}}};
  const std::vector<Bytes> sizes_MiB = {1, 4, 16, 64, 128, 256, 512, 1024};
  std::vector<double> errors;
  for (const Measured& row : measured) {
    for (std::size_t i = 0; i < sizes_MiB.size(); ++i) {
      const Seconds time =
          model.time_alone(CollectiveKind::all_gather, sizes_MiB[i] << 20, full_nodes(row.gpus, 4));
      errors.push_back(std::abs(time * 1e3 / row.milliseconds[i] - 1.0));
    }
  }
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 0.05);
  EXPECT_LT(errors[errors.size() * 9 / 10], 0.15);
  EXPECT_LT(errors.back(), 0.20);
}

}  // namespace
}  // namespace fourfold
