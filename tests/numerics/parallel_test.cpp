// Parallel = serial: every grid of up to 16 ranks, in both axis orders, trains as one rank does.

#include <array>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/numerics/comparison.hpp"
#include "tests/numerics/tiny_gpt.hpp"

namespace fourfold::test {
namespace {

constexpr int kSteps = 20;

/// Number of ranks and axis order.
class ParallelTraining : public testing::TestWithParam<std::tuple<int, const char*>> {};

/// Schedules take turns over the grids, so that each meets many; all combinations are in
/// schedule_test.
struct Schedule {
  OverlapPolicy overlap;
  Recompute recompute;
  AttentionAlgorithm attention;
  bool shuffled;
};
constexpr auto kFlash = AttentionAlgorithm::flash;
constexpr auto kUnfused = AttentionAlgorithm::unfused;
const std::array<Schedule, 5> kSchedules = {{
    {OverlapPolicy::none(), Recompute::none, kFlash, false},
    {OverlapPolicy::all(), Recompute::full, kFlash, true},
    {OverlapPolicy::paper(), Recompute::none, kUnfused, false},
    {OverlapPolicy::all(), Recompute::none, kFlash, true},
    {OverlapPolicy::none(), Recompute::full, kUnfused, true},
}};

/// How far two runs may differ by rounding.
struct Tolerance {
  double loss, gradient_norm, first_gradient;
};

/// Compares all grids with one rank; `compare_more(run, expected, what)` after what all types share.
template <typename More>
void expect_grids_train_as_one_rank(int ranks, const char* order, DType dtype,
                                    const Tolerance& tolerance, More compare_more) {
  const GptConfig model = tiny_gpt(ranks);
  TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
  train.batch = ranks;
  train.dtype = dtype;
  const TrainingRun expected = run_training(model, train, kSteps);

  std::size_t turn = 0;
  for (const Grid& grid : all_grids(ranks, parse_axis_order(order))) {
    const Schedule& schedule = kSchedules[turn++ % kSchedules.size()];
    train.grid = grid;
    train.overlap = schedule.overlap;
    train.recompute = schedule.recompute;
    train.attention = schedule.attention;
    real::ReferenceOptions options;
    if (schedule.shuffled) options.shuffle_seed = turn;
    const TrainingRun actual = run_training(model, train, kSteps, options);
    const std::string what = fmt::format("grid {} {}", grid.to_string(), order);
    expect_near_relative(actual.losses, expected.losses, tolerance.loss, what + " loss of step");
    expect_near_relative(actual.gradient_norms, expected.gradient_norms, tolerance.gradient_norm,
                         what + " gradient norm of step");
    expect_tensors_near(without_key_biases(actual.first_gradients),
                        without_key_biases(expected.first_gradients), tolerance.first_gradient,
                        what + " gradient of");
    compare_more(actual, expected, what);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(ParallelTraining, EqualsSerialTrainingInDoublePrecision) {
  const auto [ranks, order] = GetParam();
  // Gradients: sums of up to 16 x 3 rows, rounded in another order: a few hundred times 2^-53.
  expect_grids_train_as_one_rank(
      ranks, order, DType::float64, {1e-11, 1e-10, 1e-13},
      [](const TrainingRun& actual, const TrainingRun& expected, const std::string& what) {
        expect_tensors_near(without_key_biases(actual.parameters),
                            without_key_biases(expected.parameters), 1e-9, what + " parameter");
      });
}

TEST_P(ParallelTraining, EqualsSerialTrainingInSinglePrecision) {
  const auto [ranks, order] = GetParam();
  // Gradients: activations rounded to 2^-24 pass through the blocks, and partial sums are rounded once more where a sum
  // is split. Parameters are left to double precision: AdamW divides small gradients by their own size.
  expect_grids_train_as_one_rank(ranks, order, DType::float32, {1e-5, 1e-4, 3e-6},
                                 [](const auto&...) {});
}

INSTANTIATE_TEST_SUITE_P(RanksAndOrder, ParallelTraining,
                         testing::Combine(testing::Range(2, 17), testing::Values("xyzd", "yxzd")),
                         [](const auto& grid_test) {
                           return fmt::format("{}_{}", std::get<0>(grid_test.param),
                                              std::get<1>(grid_test.param));
                         });

}  // namespace
}  // namespace fourfold::test
