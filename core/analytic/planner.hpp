#pragma once
// Tries every way to place a training step on a number of GPUs and ranks what fits by predicted
// time.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analytic/step_model.hpp"

namespace fourfold {

struct PlanRequest {
  int gpus = 1;
  /// Batch, sequence, types, overlap; grid, micro-batch and recomputation are searched.
  TrainConfig train;
  std::vector<Recompute> recompute = {Recompute::full, Recompute::none};
  std::optional<std::int64_t> micro_batch;  ///< none: all divisors of a rank's sequences
  /// Rank orders to try; those that only move axes of size 1 are tried once.
  std::vector<AxisOrder> orders = {kPaperOrder};
};

/// A configuration that fits, and what it is predicted to take.
struct Plan {
  TrainConfig train;
  StepEstimate estimate;
};

/// What became of one grid.
struct GridOutcome {
  std::optional<Plan> best;    ///< over micro-batch sizes and recomputation
  std::string reason;          ///< else: what does not divide ("heads"), or "memory"
  std::string message;         ///< and the whole story
  std::int64_t evaluated = 0;  ///< configurations estimated
};

struct PlanSearch {
  std::vector<Plan> plans;                      ///< best first, one for each grid that fits
  std::map<std::string, std::int64_t> dropped;  ///< grids by reason
  std::int64_t grids = 0, evaluated = 0;
};

/// The best plan on `grid`. Never throws for a grid that does not work.
GridOutcome plan_grid(StepModel& model, const PlanRequest& request, const Grid& grid);

/// The best plan of every grid of `request.gpus` ranks.
PlanSearch search_plans(StepModel& model, const PlanRequest& request);

/// All 24 orders of x, y, z, data.
std::vector<AxisOrder> all_axis_orders();

/// The plan whose grid has the most similar sizes, by the sum of |log2| ratios; the faster one of
/// equals. nullptr when there is none.
const Plan* nearest_plan(const std::vector<Plan>& plans, const Grid& grid);

}  // namespace fourfold
