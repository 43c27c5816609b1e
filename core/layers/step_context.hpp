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

struct StepContext : RankContext {
  OverlapPolicy overlap;
  WeightGatherer& weights;
  GradientScatterer& gradients;
};

}  // namespace fourfold
