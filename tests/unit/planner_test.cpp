// The planner finds what trying everything by hand finds, and says what became of the rest.

#include "core/analytic/planner.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/schedule/train_step.hpp"
#include "tests/unit/analytic_data.hpp"

namespace fourfold {
namespace {

PlanRequest request_for(int gpus) {
  PlanRequest request;
  request.gpus = gpus;
  request.train.batch = 48;
  request.train.sequence = 12;
  return request;
}

StepModel small_model() {
  return {small_gpt(), small_machine(), CommVariant::fitted};
}

/// A machine whose GPUs hold `memory` bytes.
AnalyticMachine machine_with(Bytes memory) {
  AnalyticMachine machine = small_machine();
  machine.gpu.memory = memory;
  return machine;
}

TEST(Planner, CountsEveryGridOnce) {
  StepModel model = small_model();
  const PlanSearch search = search_plans(model, request_for(12));
  // 12 = 2^2 3: binomial(5,3) binomial(4,3) = 10 * 4 factorings into four factors.
  EXPECT_EQ(search.grids, 40);
  std::int64_t dropped = 0;
  for (const auto& [reason, count] : search.dropped) dropped += count;
  EXPECT_EQ(dropped + static_cast<std::int64_t>(search.plans.size()), 40);
  EXPECT_TRUE(std::is_sorted(search.plans.begin(), search.plans.end(), [](auto& a, auto& b) {
    return a.estimate.step_time < b.estimate.step_time;
  }));
}

TEST(Planner, FindsTheBestMicroBatchAndRecomputation) {
  StepModel model = small_model();
  const Grid grid(2, 1, 2, 1);
  const GridOutcome outcome = plan_grid(model, request_for(4), grid);
  ASSERT_TRUE(outcome.best);
  Seconds best = std::numeric_limits<double>::infinity();
  TrainConfig train = request_for(4).train;
  train.grid = grid;
  for (const std::int64_t micro_batch : {1, 2, 3, 4, 6, 8, 12, 24}) {  // divisors of 48 / 2
    for (const Recompute recompute : {Recompute::full, Recompute::none}) {
      train.micro_batch = micro_batch;
      train.recompute = recompute;
      best = std::min(best, model.estimate(train).step_time);
    }
  }
  EXPECT_EQ(outcome.evaluated, 16);
  EXPECT_DOUBLE_EQ(outcome.best->estimate.step_time, best);
}

TEST(Planner, NamesWhatDoesNotDivide) {
  StepModel model = small_model();
  const GridOutcome outcome = plan_grid(model, request_for(5), Grid(5, 1, 1, 1));
  EXPECT_FALSE(outcome.best);
  EXPECT_EQ(outcome.reason, "heads");  // 12 heads over 5
  EXPECT_THAT(outcome.message, testing::HasSubstr("not divisible by grid.x 5"));
  EXPECT_EQ(plan_grid(model, request_for(7), Grid(1, 1, 1, 7)).reason, "batch");  // 48 over 7
}

TEST(Planner, KeepsExactlyWhatTheRecorderFits) {
  const Grid grid(1, 1, 2, 1);
  TrainConfig train = request_for(2).train;
  train.grid = grid;
  train.recompute = Recompute::full;
  train.micro_batch = 2;
  const Bytes needed = total(record_train_step(small_gpt(), train).peak_memory);
  PlanRequest request = request_for(2);
  request.recompute = {Recompute::full};
  request.micro_batch = 2;

  StepModel fits(small_gpt(), machine_with(needed), CommVariant::fitted);
  EXPECT_TRUE(plan_grid(fits, request, grid).best);
  StepModel one_byte_less(small_gpt(), machine_with(needed - 1), CommVariant::fitted);
  const GridOutcome outcome = plan_grid(one_byte_less, request, grid);
  EXPECT_FALSE(outcome.best);
  EXPECT_EQ(outcome.reason, "memory");
}

TEST(Planner, DropsWhatDoesNotFitBesideTheFramework) {
  const Grid grid(1, 1, 2, 1);
  PlanRequest request = request_for(2);
  request.recompute = {Recompute::full};
  request.micro_batch = 2;
  StepModel alone = small_model();
  const Bytes tensors = total(plan_grid(alone, request, grid).best->estimate.peak);

  AnalyticMachine machine = machine_with(tensors + 1000);
  machine.framework.context = 1000;
  StepModel fits(small_gpt(), machine, CommVariant::fitted);
  EXPECT_EQ(plan_grid(fits, request, grid).best->estimate.needed(), tensors + 1000);
  machine.framework.context = 1001;
  StepModel one_byte_more(small_gpt(), machine, CommVariant::fitted);
  EXPECT_EQ(plan_grid(one_byte_more, request, grid).reason, "memory");
}

TEST(Planner, OrdersThatDifferInAxesOfSizeOneAreOne) {
  StepModel model = small_model();
  PlanRequest request = request_for(4);
  request.orders = all_axis_orders();
  EXPECT_EQ(request.orders.size(), 24U);
  const PlanSearch search = search_plans(model, request);
  // 4 on one axis: 4 grids with one order; 2 x 2 on two of four axes: 6 pairs with two orders.
  EXPECT_EQ(search.grids, 4 + 6 * 2);
}

TEST(Planner, NearestPlanHasTheMostSimilarSizes) {
  StepModel model = small_model();
  const PlanSearch search = search_plans(model, request_for(8));
  const Plan* nearest = nearest_plan(search.plans, Grid(4, 1, 2, 1));
  ASSERT_NE(nearest, nullptr);
  EXPECT_EQ(nearest->train.grid, Grid(4, 1, 2, 1));  // 12 heads over 4: it fits itself
  EXPECT_EQ(nearest_plan({}, Grid(1, 1, 1, 1)), nullptr);
}

}  // namespace
}  // namespace fourfold
