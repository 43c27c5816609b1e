#pragma once
// What a layer needs while a step runs: the rank, and the schedules that move weights and gradients.

#include "core/backend/ops.hpp"
#include "core/schedule/gradient_scatterer.hpp"
#include "core/schedule/overlap_policy.hpp"
#include "core/schedule/weight_gatherer.hpp"

namespace fourfold {

/// What a forward pass keeps for the backward pass.
enum class Keep {
  nothing,            ///< the layer will be recomputed
  inputs,             ///< weights are gathered again in the backward pass (FSDP's "reshard after forward")
  inputs_and_weights  ///< the backward pass follows at once (recomputation)
};

/// Which elements of this micro-batch are dropped.
struct DropoutSchedule {
  double probability = 0.0;
  std::uint64_t seed = 0;      ///< differs from step to step
  std::int64_t first_row = 0;  ///< of this rank's micro-batch in the rows of the whole batch

  /// The mask of layer `name` on columns from `first_column` of `columns`.
  DropoutMask mask(std::string_view name, std::int64_t first_column, std::int64_t columns) const {
    if (probability == 0.0) return {};
    return {probability, random_key(seed, name), first_row, first_column, columns};
  }
};

struct StepContext : RankContext {
  OverlapPolicy overlap;
  DropoutSchedule dropout;
  WeightGatherer& weights;
  GradientScatterer& gradients;
};

}  // namespace fourfold
