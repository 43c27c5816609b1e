// Folding in time: a step of many micro-batches, continued from a few, against all of them replayed.

#include <gtest/gtest.h>

#include "sim/cli/record_step.hpp"
#include "sim/cli/simulate_step.hpp"
#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

constexpr double kLargestDifference = 0.005;

RunReport run(const TrainConfig& train, FoldTime fold_time, const SimulationOptions& options) {
  const Machine machine = toy_machine_of_a100s("tapered", 4, 2);
  const RecordedStep step = record_step(toy_gpt(3), train, 1, machine.gpu.memory, fold_time);
  RunSetup setup;
  setup.model = toy_gpt(3);
  setup.train = step.train;
  const RunReport described = describe_run(setup, step.program);
  return simulate_step(described, step, machine, options);
}

void expect_equal_counts(const RunReport& folded, const RunReport& full) {
  EXPECT_NEAR(folded.hardware_flops.counted, full.hardware_flops.counted,
              1e-9 * full.hardware_flops.counted);
  EXPECT_EQ(total(folded.memory.peak), total(full.memory.peak));
  ASSERT_EQ(folded.result.collectives.size(), full.result.collectives.size());
  for (std::size_t i = 0; i < full.result.collectives.size(); ++i) {
    const CollectiveTime& expected = full.result.collectives[i];
    EXPECT_EQ(folded.result.collectives[i].count, expected.count);
    EXPECT_NEAR(folded.result.collectives[i].bytes_per_rank, expected.bytes_per_rank,
                1e-9 * expected.bytes_per_rank);
  }
  ASSERT_EQ(folded.result.kernels.size(), full.result.kernels.size());
}

void expect_folded_equals_full(const Grid& grid, std::int64_t micro_batches,
                               const OverlapPolicy& overlap,
                               const SimulationOptions& options = {}) {
  TrainConfig train;
  train.grid = grid;
  train.batch = micro_batches * grid.size(kBatchAxes);
  train.sequence = 128;
  train.overlap = overlap;
  SCOPED_TRACE(grid.to_string() + ", " + to_string(overlap) + ", " + std::to_string(micro_batches));
  const RunReport full = run(train, FoldTime::off, options);
  const RunReport folded = run(train, FoldTime::automatic, options);
  EXPECT_EQ(full.replayed_micro_batches, micro_batches);
  EXPECT_LT(folded.replayed_micro_batches, micro_batches);
  const Seconds step = full.result.step_time;
  EXPECT_NEAR(folded.result.step_time, step, kLargestDifference * step);
  EXPECT_NEAR(folded.result.compute_busy, full.result.compute_busy, 1e-6 * step);
  for (std::size_t i = 0; i < full.result.collectives.size(); ++i) {
    EXPECT_NEAR(folded.result.collectives[i].exposed, full.result.collectives[i].exposed,
                kLargestDifference * step);
  }
  expect_equal_counts(folded, full);
}

class FoldTimeOnGrids : public testing::TestWithParam<Grid> {};

TEST_P(FoldTimeOnGrids, ContinuesTheRhythmUnderEveryPolicy) {
  for (const OverlapPolicy& overlap :
       {OverlapPolicy::none(), OverlapPolicy::paper(), OverlapPolicy::all()}) {
    expect_folded_equals_full(GetParam(), 20, overlap);
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, FoldTimeOnGrids,
                         testing::Values(Grid(16, 1, 1, 1), Grid(1, 16, 1, 1), Grid(1, 1, 16, 1),
                                         Grid(1, 1, 1, 16), Grid(2, 2, 2, 2), Grid(4, 1, 2, 2),
                                         Grid(1, 2, 4, 2), Grid(1, 2, 2, 3)));

TEST(FoldTime, ContinuesTheRhythmOverManyMicroBatches) {
  expect_folded_equals_full(Grid(2, 2, 2, 2), 100, OverlapPolicy::all());
}

TEST(FoldTime, ContinuesTheRhythmOfADisturbedStep) {
  SimulationOptions options;
  options.disturbances.slow_ranks = {{3, 0.7}};
  options.disturbances.degraded_links = {{"nic-1", 0.3}};
  expect_folded_equals_full(Grid(2, 2, 2, 2), 20, OverlapPolicy::all(), options);
}

TEST(FoldTime, FewMicroBatchesAreAllReplayed) {
  TrainConfig train;
  train.grid = Grid(2, 2, 2, 2);
  train.batch = 6 * 4;
  train.sequence = 128;
  EXPECT_EQ(run(train, FoldTime::automatic, {}).replayed_micro_batches, 6);
}

}  // namespace
}  // namespace fourfold::sim
