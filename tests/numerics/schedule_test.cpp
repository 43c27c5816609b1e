// All combinations of schedules on a few grids, in adversarial orders of execution: the same losses and gradients.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/numerics/comparison.hpp"
#include "tests/numerics/tiny_gpt.hpp"

namespace fourfold::test {
namespace {

constexpr int kSteps = 2;

/// Runs all overlap switches, with and without recomputation, under shuffled streams.
void expect_schedules_agree(const GptConfig& model, TrainConfig train,
                            const TrainingRun& expected) {
  for (unsigned switches = 0; switches < 16; ++switches) {
    for (Recompute recompute : {Recompute::none, Recompute::full}) {
      train.overlap = {(switches & 1U) != 0, (switches & 2U) != 0, (switches & 4U) != 0,
                       (switches & 8U) != 0};
      train.recompute = recompute;
      const TrainingRun actual = run_training(model, train, kSteps, {.shuffle_seed = switches});
      const std::string what = fmt::format(
          "grid {} overlap {} recompute {} attention {} micro-batch {}", train.grid.to_string(),
          to_string(train.overlap), recompute == Recompute::full,
          train.attention == AttentionAlgorithm::flash ? "flash" : "unfused", train.micro_batch);
      expect_near_relative(actual.losses, expected.losses, 1e-11, what + " loss of step");
      expect_tensors_near(without_key_biases(actual.first_gradients),
                          without_key_biases(expected.first_gradients), 1e-13,
                          what + " gradient of");
      if (testing::Test::HasFailure()) return;
    }
  }
}

class Schedules : public testing::TestWithParam<Grid> {};

TEST_P(Schedules, AllCombinationsComputeTheSame) {
  for (bool tied : {true, false}) {
    for (double dropout : {0.0, 0.2}) {
      GptConfig model = tiny_gpt(4);
      model.tied = tied;
      TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
      train.batch = 8;
      train.dropout = dropout;
      const TrainingRun expected = run_training(model, train, kSteps);
      train.grid = GetParam();
      // Pairs of attention and micro-batch size suffice: neither knows of the other.
      train.attention = tied ? AttentionAlgorithm::flash : AttentionAlgorithm::unfused;
      train.micro_batch = tied == (dropout > 0.0) ? 2 : 1;
      expect_schedules_agree(model, train, expected);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, Schedules,
                         testing::Values(Grid(1, 1, 1, 1), Grid(2, 2, 1, 1), Grid(1, 2, 2, 1),
                                         Grid(2, 1, 2, 1), Grid(1, 1, 2, 2)));

TEST(Dropout, ChangesTheLoss) {
  // Otherwise the comparison above would compare nothing.
  const GptConfig model = tiny_gpt(4);
  TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
  train.batch = 8;
  const double without = run_training(model, train, 1).losses[0];
  train.dropout = 0.2;
  EXPECT_GT(std::abs(run_training(model, train, 1).losses[0] - without), 1e-3);
}

}  // namespace
}  // namespace fourfold::test
