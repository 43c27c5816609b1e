#include "core/analytic/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold {
namespace {

/// Messages begin with what does not divide, then its size: "heads 56 is not divisible by ...".
std::string subject_of(const std::string& message) {
  const std::size_t number = message.find_first_of("0123456789");
  return message.substr(0, number == 0 ? 0 : number - 1);
}

std::vector<std::int64_t> micro_batches(const PlanRequest& request, const TrainConfig& train) {
  if (request.micro_batch) return {*request.micro_batch};
  return micro_batch_choices(train);
}

/// Tries micro-batch sizes until they no longer fit: memory grows with them.
void try_micro_batches(StepModel& model, const PlanRequest& request, TrainConfig train,
                       GridOutcome& outcome, Bytes& least_memory) {
  const Bytes capacity = model.machine().gpu.memory;
  for (const std::int64_t micro_batch : micro_batches(request, train)) {
    train.micro_batch = micro_batch;
    const StepEstimate estimate = model.estimate(train);
    outcome.evaluated += 1;
    least_memory = std::min(least_memory, estimate.needed());
    if (estimate.needed() > capacity) return;
    const bool is_faster = !outcome.best || estimate.step_time < outcome.best->estimate.step_time;
    if (is_faster) outcome.best = Plan{train, estimate};
  }
}

/// Of the orders that differ only in where axes of size 1 stand, the one that has them last, in the
/// paper's order.
bool is_canonical(const Grid& grid) {
  bool seen_one = false;
  int last_one = -1;
  for (const Axis axis : grid.order()) {
    if (axis == Axis::pipe) continue;
    const bool is_one = grid.size(axis) == 1;
    if (seen_one && !is_one) return false;
    if (is_one && static_cast<int>(axis) < last_one) return false;
    if (is_one) last_one = static_cast<int>(axis);
    seen_one = is_one;
  }
  return true;
}

double distance(const Grid& a, const Grid& b) {
  double sum = 0;
  for (const Axis axis : kAllAxes) {
    sum += std::abs(std::log2(static_cast<double>(a.size(axis)) / b.size(axis)));
  }
  return sum;
}

}  // namespace

GridOutcome plan_grid(StepModel& model, const PlanRequest& request, const Grid& grid) {
  GridOutcome outcome;
  TrainConfig train = request.train;
  train.grid = grid;
  train.micro_batch = request.micro_batch.value_or(1);
  try {
    check_divisibility(model.model(), train);
  } catch (const ShapeError& error) {
    outcome.message = error.what();
    outcome.reason = subject_of(outcome.message);
    return outcome;
  }
  Bytes least_memory = std::numeric_limits<Bytes>::max();
  for (const Recompute recompute : request.recompute) {
    train.recompute = recompute;
    try_micro_batches(model, request, train, outcome, least_memory);
  }
  if (!outcome.best) {
    outcome.reason = "memory";
    outcome.message =
        fmt::format("needs {:.1f} GiB at least, of {:.1f} GiB; use more ranks along x, y or z",
                    static_cast<double>(least_memory) / kGiB,
                    static_cast<double>(model.machine().gpu.memory) / kGiB);
  }
  return outcome;
}

PlanSearch search_plans(StepModel& model, const PlanRequest& request) {
  PlanSearch search;
  for (const AxisOrder& order : request.orders) {
    for (const Grid& grid : all_grids(request.gpus, order)) {
      if (request.orders.size() > 1 && !is_canonical(grid)) continue;
      GridOutcome outcome = plan_grid(model, request, grid);
      search.grids += 1;
      search.evaluated += outcome.evaluated;
      if (outcome.best)
        search.plans.push_back(std::move(*outcome.best));
      else
        search.dropped[outcome.reason] += 1;
    }
  }
  std::stable_sort(search.plans.begin(), search.plans.end(), [](const Plan& a, const Plan& b) {
    return a.estimate.step_time < b.estimate.step_time;
  });
  return search;
}

std::vector<AxisOrder> all_axis_orders() {
  std::string letters = "dxyz";  // sorted, as next_permutation wants it
  std::vector<AxisOrder> orders;
  do {
    orders.push_back(parse_axis_order(letters));
  } while (std::next_permutation(letters.begin(), letters.end()));
  return orders;
}

const Plan* nearest_plan(const std::vector<Plan>& plans, const Grid& grid) {
  const auto nearest =
      std::min_element(plans.begin(), plans.end(), [&](const Plan& a, const Plan& b) {
        return distance(a.train.grid, grid) < distance(b.train.grid, grid);
      });
  return nearest == plans.end() ? nullptr : &*nearest;
}

}  // namespace fourfold
