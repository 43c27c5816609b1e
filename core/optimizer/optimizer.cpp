#include "core/optimizer/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fourfold {

Tensor squared_gradient_norm(RankContext& context, ParameterStore& store) {
  const Tensor squared_norm = zeros(context, {1}, wide(store.dtype()), MemoryKind::workspace);
  for (const ParameterBucket& bucket : store.buckets()) {
    launch(context, SumOfSquares{bucket.gradients, squared_norm, 1.0 / bucket.replicas});
  }
  all_reduce(context, kTensorAxes, squared_norm);
  return squared_norm;
}

void adamw_step(RankContext& context, ParameterStore& store, const OptimizerConfig& config, const Tensor& squared_norm,
                double learning_rate, std::int64_t step) {
  for (const ParameterBucket& bucket : store.buckets()) {
    launch(context, AdamW{.gradient = bucket.gradients,
                          .squared_norm = squared_norm,
                          .master = bucket.master,
                          .first_moment = bucket.first_moment,
                          .second_moment = bucket.second_moment,
                          .parameter = bucket.values,
                          .learning_rate = learning_rate,
                          .beta1 = config.beta1,
                          .beta2 = config.beta2,
                          .epsilon = config.epsilon,
                          .weight_decay = bucket.weight_decay ? config.weight_decay : 0.0,
                          .clip_norm = config.clip_norm,
                          .step = step});
  }
}

double cosine_learning_rate(std::int64_t step, double peak, double final, std::int64_t warmup_steps,
                            std::int64_t total_steps) {
  if (step < warmup_steps) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  const double span = static_cast<double>(std::max<std::int64_t>(total_steps - warmup_steps, 1));
  const double progress = std::min(1.0, static_cast<double>(step - warmup_steps) / span);
  return final + 0.5 * (peak - final) * (1.0 + std::cos(std::numbers::pi * progress));
}

}  // namespace fourfold
