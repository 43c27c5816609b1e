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

TEST_P(ParallelTraining, EqualsSerialTraining) {
  const auto [ranks, order] = GetParam();
  const GptConfig model = tiny_gpt(ranks);
  TrainConfig serial = tiny_training(Grid(1, 1, 1, 1));
  serial.batch = ranks;
  const TrainingRun expected = run_training(model, serial, kSteps);

  std::size_t turn = 0;
  for (const Grid& grid : all_grids(ranks, parse_axis_order(order))) {
    const Schedule& schedule = kSchedules[turn++ % kSchedules.size()];
    TrainConfig train = tiny_training(grid);
    train.overlap = schedule.overlap;
    train.recompute = schedule.recompute;
    train.attention = schedule.attention;
    real::ReferenceOptions options;
    if (schedule.shuffled) options.shuffle_seed = turn;
    const TrainingRun actual = run_training(model, train, kSteps, options);
    const std::string what = fmt::format("grid {} {}", grid.to_string(), order);
    expect_near_relative(actual.losses, expected.losses, 1e-11, what + " loss of step");
    expect_near_relative(actual.gradient_norms, expected.gradient_norms, 1e-10,
                         what + " gradient norm of step");
    // Sums of up to 16 x 3 rows, rounded in another order: a few hundred times 2^-53.
    expect_tensors_near(without_key_biases(actual.first_gradients),
                        without_key_biases(expected.first_gradients), 1e-13, what + " gradient of");
    expect_tensors_near(without_key_biases(actual.parameters),
                        without_key_biases(expected.parameters), 1e-9, what + " parameter");
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(RanksAndOrder, ParallelTraining,
                         testing::Combine(testing::Range(2, 17), testing::Values("xyzd", "yxzd")),
                         [](const auto& grid_test) {
                           return fmt::format("{}_{}", std::get<0>(grid_test.param),
                                              std::get<1>(grid_test.param));
                         });

}  // namespace
}  // namespace fourfold::test
