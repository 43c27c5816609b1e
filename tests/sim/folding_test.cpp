// Folding: what it folds, that it refuses to fold what is not symmetric, and that folded and full worlds agree.

#include "sim/engine/folding.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/schedule/train_step.hpp"
#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

/// Results that may only differ by rounding and by SimGrid's time resolution.
void expect_equal(const SimulationResult& folded, const SimulationResult& full,
                  const std::string& what) {
  constexpr double kRelative = 1e-7;
  EXPECT_NEAR(folded.step_time, full.step_time, kRelative * full.step_time) << what;
  ASSERT_EQ(folded.collectives.size(), full.collectives.size());
  for (std::size_t i = 0; i < full.collectives.size(); ++i) {
    EXPECT_NEAR(folded.collectives[i].busy, full.collectives[i].busy, kRelative * full.step_time)
        << what;
    EXPECT_NEAR(folded.collectives[i].exposed, full.collectives[i].exposed,
                kRelative * full.step_time)
        << what;
  }
  ASSERT_EQ(folded.link_classes.size(), full.link_classes.size());
  for (std::size_t i = 0; i < full.link_classes.size(); ++i) {
    EXPECT_DOUBLE_EQ(folded.link_classes[i].bytes, full.link_classes[i].bytes) << what;
  }
}

void expect_folded_equals_full(const StepProgram& program, const Grid& grid, const Machine& machine,
                               const std::string& what) {
  SimulationOptions off;
  off.fold = Fold::off;
  const SimulationResult full = simulate(program, grid, machine, off);
  EXPECT_EQ(full.replayed_ranks, grid.world_size());
  expect_equal(simulate(program, grid, machine), full, what);
  SimulationOptions replicas;
  replicas.fold = Fold::replicas;
  expect_equal(simulate(program, grid, machine, replicas), full, what + ", one replica");
}

TrainConfig training(const Grid& grid, const OverlapPolicy& overlap) {
  TrainConfig train;
  train.grid = grid;
  train.batch = 2 * grid.size(kBatchAxes);
  train.sequence = 128;
  train.overlap = overlap;
  return train;
}

TEST(Folding, RanksOfASymmetricMachineAreOneClass) {
  // 16 GPUs in 4 nodes of 4 with a NIC each, all in groups alike.
  const Machine machine = toy_machine_of_a100s("flat", 4, 4);
  const Grid grid(4, 1, 2, 2);
  const SimulationResult result =
      simulate(record_train_step(toy_gpt(2), training(grid, OverlapPolicy::all())), grid, machine);
  EXPECT_EQ(result.replayed_ranks, 1);
  EXPECT_EQ(result.ranks, 16);
}

TEST(Folding, APartlyFilledNodeIsAClassOfItsOwn) {
  // Groups of 3 over nodes of 4: 0 1 2 lie on one node, 3 4 5 on two, ...
  const Machine machine = toy_machine_of_a100s("flat", 4, 4);
  const Grid grid(3, 1, 1, 2);
  GptConfig model = toy_gpt(2);
  model.heads = 12;
  model.hidden = 768;
  model.ffn = 3072;
  model.vocabulary = 3 * 1024;
  const StepProgram program = record_train_step(model, training(grid, OverlapPolicy::all()));
  EXPECT_GT(simulate(program, grid, machine).replayed_ranks, 1);
  expect_folded_equals_full(program, grid, machine, "3x1x1x2");
}

TEST(Folding, RanksOfAnotherKindAreNotFoldedTogether) {
  const Machine machine = toy_machine("flat", 4);
  const Grid grid(2, 1, 1, 4);
  Network& network = Network::load(machine.file);
  const Communicators communicators =
      lay_out({{Stream::comm_x, Axis::x}, {Stream::comm_data, Axis::data}}, grid, machine, network);
  EXPECT_EQ(fold(communicators, 8, network.links()).classes(), 1);
  // Rank 3 is slow. It stands alone; its x neighbour 2, its data group 1 5 7, their neighbours 0 4 6 differ too.
  std::vector<std::uint64_t> kinds(8, 0);
  kinds[3] = 1;
  const Folding folding = fold(communicators, 8, network.links(), kinds);
  EXPECT_EQ(folding.classes(), 4);
  EXPECT_THAT(folding.ranks_in_class, testing::UnorderedElementsAre(1, 1, 3, 3));
}

TEST(Folding, ClassesCoverAllRanksAndRings) {
  const Machine machine = toy_machine("tapered", 4, 2);
  const Grid grid(2, 2, 2, 2);
  Network& network = Network::load(machine.file);
  const Communicators communicators = lay_out(
      {{Stream::comm_x, Axis::x}, {Stream::comm_z_gather, Axis::z}}, grid, machine, network);
  const Folding folding = fold(communicators, 16, network.links());
  int ranks = 0;
  for (int size : folding.ranks_in_class) ranks += size;
  EXPECT_EQ(ranks, 16);
  int members = 0;
  for (int count : folding.members_in_ring_class) members += count;
  EXPECT_EQ(members, 2 * 16);  // every rank in one ring of each communicator
}

class FoldedEqualsFull : public testing::TestWithParam<std::tuple<const char*, int, int>> {};

TEST_P(FoldedEqualsFull, OnEveryGridOf16Ranks) {
  const auto [platform, gpus_per_node, nics_per_node] = GetParam();
  const Machine machine = toy_machine_of_a100s(platform, gpus_per_node, nics_per_node);
  for (const Grid& grid : all_grids(16)) {
    for (const OverlapPolicy& overlap : {OverlapPolicy::none(), OverlapPolicy::all()}) {
      const StepProgram program = record_train_step(toy_gpt(2), training(grid, overlap));
      expect_folded_equals_full(program, grid, machine,
                                grid.to_string() + " " + to_string(overlap));
    }
  }
}

TEST_P(FoldedEqualsFull, OnRandomGridsThatFillTheMachineInPart) {
  const auto [platform, gpus_per_node, nics_per_node] = GetParam();
  const Machine machine = toy_machine_of_a100s(platform, gpus_per_node, nics_per_node);
  std::mt19937 random(7);
  for (int i = 0; i < 12; ++i) {
    const int ranks = 2 * std::uniform_int_distribution(1, 8)(random);
    const std::vector<Grid> grids =
        all_grids(ranks, i % 2 == 0 ? kPaperOrder : parse_axis_order("dzyx"));
    const Grid grid =
        grids[std::uniform_int_distribution<std::size_t>(0, grids.size() - 1)(random)];
    GptConfig model = toy_gpt(2);
    model.heads = 840 / 7 * 2;  // 240: divisible by 3, 5 and 16, not by 7
    model.hidden = 960;
    model.ffn = 3840;
    model.vocabulary = 15 * 256;
    try {
      const StepProgram program = record_train_step(model, training(grid, OverlapPolicy::all()));
      expect_folded_equals_full(program, grid, machine, grid.to_string());
    } catch (const ShapeError&) {
      continue;  // 7 or 14 along an axis that must divide the model
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, FoldedEqualsFull,
                         testing::Values(std::tuple("flat", 4, 4), std::tuple("flat", 3, 3),
                                         std::tuple("flat", 8, 4), std::tuple("tapered", 4, 4),
                                         std::tuple("tapered", 4, 2)));

}  // namespace
}  // namespace fourfold::sim
