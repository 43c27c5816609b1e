#pragma once
// Gradient clipping by the global norm and AdamW on this rank's shards.

#include "core/backend/ops.hpp"
#include "core/layers/parameter.hpp"
#include "core/schedule/train_config.hpp"

namespace fourfold {

/// The squared Euclidean norm of the gradient of the whole model, (1) wide: every element counts once, however many
/// ranks hold it.
Tensor squared_gradient_norm(RankContext& context, ParameterStore& store);

/// One AdamW step (Loshchilov & Hutter 2019) with clipping; `step` counts from 1.
void adamw_step(RankContext& context, ParameterStore& store, const OptimizerConfig& config, const Tensor& squared_norm,
                double learning_rate, std::int64_t step);

/// Linear warm-up to `peak` over `warmup_steps`, then a cosine down to `final` at `total_steps`.
double cosine_learning_rate(std::int64_t step, double peak, double final, std::int64_t warmup_steps,
                            std::int64_t total_steps);

}  // namespace fourfold
