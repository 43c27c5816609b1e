// A step with overlap is never slower than without, on Perlmutter and on every grid of 16 and 24 ranks.

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/schedule/train_step.hpp"
#include "sim/simulation.hpp"

namespace fourfold::sim {
namespace {

class Overlap : public testing::TestWithParam<int> {};

TEST_P(Overlap, IsNeverSlowerThanNone) {
  const Machine machine = load_machine(find_machine("perlmutter"));
  GptConfig model = find_gpt_config("gpt-5b");
  model.layers = 3;
  int compared = 0;
  for (const Grid& grid : all_grids(GetParam())) {
    TrainConfig train;
    train.grid = grid;
    train.batch = 2 * grid.size(kBatchAxes);
    train.sequence = model.sequence;
    const auto step_time = [&](const OverlapPolicy& overlap) {
      train.overlap = overlap;
      return simulate(record_train_step(model, train), grid, machine).step_time;
    };
    try {
      check_divisibility(model, train);
    } catch (const ShapeError&) {
      continue;
    }
    const Seconds without = step_time(OverlapPolicy::none());
    for (const char* overlap : {"oar", "ors", "oag", "odp", "paper", "all"}) {
      EXPECT_LE(step_time(parse_overlap(overlap)), without * (1 + 1e-9)) << grid.to_string() << " " << overlap;
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Overlap, testing::Values(16, 24));

}  // namespace
}  // namespace fourfold::sim
