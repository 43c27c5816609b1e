#include "core/cost/nccl_tuning.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/cost/collective_model.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

constexpr auto kRing = NcclAlgorithm::ring;
constexpr auto kTree = NcclAlgorithm::tree;
constexpr auto kLl = NcclProtocol::ll;
constexpr auto kLl128 = NcclProtocol::ll128;
constexpr auto kSimple = NcclProtocol::simple;
constexpr auto kGather = CollectiveKind::all_gather;
constexpr auto kReduce = CollectiveKind::all_reduce;

// 4 nodes of Perlmutter with one GPU each: one channel of 24 GB/s.
constexpr NcclCommunicator kFourNodes = {
    .ranks = 4, .nodes = 4, .channels = 1, .node_bandwidth_GBps = 24, .amd_host = true};
// One node of Perlmutter: 12 channels of 20 GB/s.
constexpr NcclCommunicator kOneNode = {
    .ranks = 4, .nodes = 1, .channels = 12, .amd_host = true, .ll128 = true};

struct Printed {
  NcclCommunicator communicator;
  CollectiveKind kind;
  NcclAlgorithm algorithm;
  NcclProtocol protocol;
  double latency_us, bandwidth_GBps;
};

// What NCCL 2.21.5 itself printed on Perlmutter (tuning log of axonn-ai/sc2025-pccl-reproducer), to
// its one decimal.
constexpr Printed kPrinted[] = {
    {kFourNodes, kGather, kRing, kLl, 14.7, 16.0},
    {kFourNodes, kGather, kRing, kSimple, 50.4, 32.0},
    {kFourNodes, kReduce, kRing, kLl, 24.2, 8.0},
    {kFourNodes, kReduce, kRing, kSimple, 108.4, 16.0},
    {kFourNodes, kReduce, kTree, kSimple, 112.0, 7.6},
    {kOneNode, kGather, kRing, kLl, 8.4, 116.9},
    {kOneNode, kGather, kRing, kLl128, 19.7, 294.4},
    {kOneNode, kGather, kRing, kSimple, 18.6, 320.0},
    {kOneNode, kReduce, kRing, kLl, 10.2, 58.5},
    {kOneNode, kReduce, kRing, kLl128, 25.4, 147.2},
    {kOneNode, kReduce, kRing, kSimple, 28.8, 160.0},
    {kOneNode, kReduce, kTree, kLl, 10.4, 29.1},
    {kOneNode, kReduce, kTree, kLl128, 21.5, 85.9},
    {kOneNode, kReduce, kTree, kSimple, 168.0, 110.4},
};

TEST(NcclTuning, ReproducesWhatNcclPrinted) {
  for (const Printed& p : kPrinted) {
    EXPECT_NEAR(nccl_latency_us(p.communicator, p.kind, p.algorithm, p.protocol), p.latency_us,
                0.06);
    EXPECT_NEAR(nccl_bandwidth_GBps(p.communicator, p.kind, p.algorithm, p.protocol),
                p.bandwidth_GBps, 0.06);
  }
}

TEST(NcclTuning, HasNoTreesForGathers) {
  EXPECT_EQ(nccl_bandwidth_GBps(kOneNode, kGather, kTree, kSimple), 0.0);
  EXPECT_EQ(nccl_choice(kOneNode, kGather, 1 << 20).algorithm, kRing);
}

// 1,024 GPUs on 256 nodes, 4 channels: a ring of 2,046 steps costs milliseconds, a tree of 8 levels
// some 90 us (LL).
TEST(NcclTuning, ChoosesTreesForSmallMessagesOnManyNodesAndRingsForHugeOnes) {
  const NcclCommunicator large = {.ranks = 1024, .nodes = 256, .channels = 4};
  EXPECT_EQ(nccl_choice(large, kReduce, 32 << 10), (NcclChoice{kTree, kLl}));
  EXPECT_EQ(nccl_choice(large, kReduce, Bytes{8} << 30), (NcclChoice{kRing, kSimple}));
}

TEST(NcclTuning, RefusesUnknownArchitectures) {
  EXPECT_EQ(parse_nccl_architecture("hopper"), NcclArchitecture::hopper);
  EXPECT_THROW(parse_nccl_architecture("hoper"), ConfigError);
}

// 16 nodes of 4: the tree has log2 16 = 4 levels, each passed up and down: 2 x 4 x 5 us. LL moves
// the bytes once for each of the 4 levels, at a tenth of the NICs; 2 S of them where a ring of 64
// sends 2 x 63/64 S.
TEST(CollectiveModel, ChargesTreesByLevel) {
  LibraryConstants library;
  library.all_reduce_tree = {.simple = {.hop_latency = 50e-6, .network_efficiency = 0.5},
                             .low_latency = {.hop_latency = 5e-6, .network_efficiency = 0.1}};
  library.tuning = TuningConstants{.channels_per_node = 4};
  const NodeLinks links = {
      .nic_bandwidth = 25e9, .port_bandwidth = 300e9, .gpus_per_node = 4, .nics_per_node = 4};
  const CollectiveModel model(library, links);
  const GroupPlacement group = {.ranks = 64, .nodes = 16, .ranks_per_node = 4};
  // NCCL's own model prefers the tree with LL for 16 KiB among 64 ranks.
  const CollectiveCost cost = model.cost(kReduce, 16 << 10, group);
  EXPECT_FALSE(cost.latency_hides);
  EXPECT_DOUBLE_EQ(cost.latency, 2 * 4 * 5e-6);
  EXPECT_DOUBLE_EQ(cost.network_inflation, 4 / 0.1 * 64 / 63);
}

// Two nodes of 4 with 100 GB/s of NICs each. Each of the two trees carries half of 1 GB once in
// each direction, so that a node sends 1 GB: at 0.8, 12.5 ms. A ring sends 2 x 7/8 GB at 0.9: 19.4
// ms. The ports carry 2 x 3/4 GB: 5 ms.
TEST(CollectiveModel, TakesTreesOnTwoNodesWhereTheySendHalf) {
  LibraryConstants library;
  for (RingConstants* ring : {&library.all_gather, &library.reduce_scatter})
    ring->simple.network_efficiency = 0.9;
  library.all_reduce_tree = {
      .simple = {.hop_latency = 50e-6, .network_efficiency = 0.5, .two_node_efficiency = 0.8},
      .low_latency = {.hop_latency = 5e-6, .network_efficiency = 0.1, .two_node_efficiency = 0.1}};
  library.all_gather.low_latency.network_efficiency =
      library.reduce_scatter.low_latency.network_efficiency = 0.3;
  const NodeLinks links = {
      .nic_bandwidth = 25e9, .port_bandwidth = 300e9, .gpus_per_node = 4, .nics_per_node = 4};
  const CollectiveModel model(library, links);
  const GroupPlacement group = {.ranks = 8, .nodes = 2, .ranks_per_node = 4};
  const CollectiveCost cost = model.cost(kReduce, 1'000'000'000, group);
  EXPECT_EQ(cost.algorithm, CollectiveAlgorithm::tree);
  EXPECT_NEAR(model.time_alone(kReduce, 1'000'000'000, group), 2 * 50e-6 + 12.5e-3, 1e-12);
  const CollectiveCost ring = model.cost(kReduce, 1'000'000'000, group, CollectiveAlgorithm::ring);
  EXPECT_NEAR(model.time_alone(ring, kReduce, 1'000'000'000, group), 1.75 / 90, 1e-12);
}

// 8 GPUs of 450 GB/s: an all_reduce of 1 GB moves 1.75 GB at 1.05 of the ports, after 20 us.
TEST(CollectiveModel, LetsSwitchesReduceInsideANode) {
  LibraryConstants library;
  library.nvls = NvlsConstants{.latency = 20e-6, .node_efficiency = 1.05};
  const CollectiveModel model(library, {.port_bandwidth = 450e9, .gpus_per_node = 8});
  const GroupPlacement node = {.ranks = 8, .nodes = 1, .ranks_per_node = 8};
  EXPECT_EQ(model.cost(kReduce, 1'000'000'000, node).algorithm, CollectiveAlgorithm::nvls);
  EXPECT_NEAR(model.time_alone(kReduce, 1'000'000'000, node),
              std::hypot(20e-6, 1.75 / (1.05 * 450)), 1e-12);
  EXPECT_EQ(model.cost(kGather, 1'000'000'000, node).algorithm, CollectiveAlgorithm::ring);
  EXPECT_THROW(model.cost(kGather, 1'000'000'000, node, CollectiveAlgorithm::nvls), ConfigError);
}

}  // namespace
}  // namespace fourfold
