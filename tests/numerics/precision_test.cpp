// fp32 and bf16 storage. All grids in fp32 are in parallel_test.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/numerics/comparison.hpp"
#include "tests/numerics/tiny_gpt.hpp"

namespace fourfold::test {
namespace {

constexpr int kSteps = 20;

TEST(Float32, AgreesWithFloat64) {
  const GptConfig model = tiny_gpt(4);
  TrainConfig train = tiny_training(Grid(2, 2, 1, 1));
  const TrainingRun exact = run_training(model, train, 1);
  train.dtype = DType::float32;
  expect_near_relative(run_training(model, train, 1).losses, exact.losses, 1e-6, "loss of step");
}

TEST(BFloat16, TrainsLikeFloat32WithinItsPrecision) {
  const GptConfig model = tiny_gpt(4);
  TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
  train.batch = 4;
  train.dtype = DType::float32;
  const TrainingRun exact = run_training(model, train, kSteps);
  train.dtype = DType::bfloat16;
  for (const Grid& grid : {Grid(1, 1, 1, 1), Grid(2, 2, 1, 1), Grid(1, 1, 2, 2)}) {
    train.grid = grid;
    // 8 bits of mantissa: every activation carries 2^-9.
    expect_near_relative(run_training(model, train, kSteps).losses, exact.losses, 2e-2,
                         grid.to_string() + " loss of step");
  }
}

TEST(BFloat16, MasterWeightsLearnWhatBFloat16CannotHold) {
  // A step of 1e-4 on weights near 0.2 is below half a bf16 spacing (2^-10), yet 20 steps must add up.
  const GptConfig model = tiny_gpt(4);
  TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
  train.batch = 4;
  train.dtype = DType::bfloat16;
  train.optimizer.learning_rate = 1e-4;
  train.optimizer.weight_decay = 0.0;
  const std::vector<double> start =
      run_training(model, train, 1).parameters.at("blocks.0.mlp.fc1.weight");
  const std::vector<double> end =
      run_training(model, train, kSteps).parameters.at("blocks.0.mlp.fc1.weight");
  EXPECT_NE(start, end);
}

}  // namespace
}  // namespace fourfold::test
