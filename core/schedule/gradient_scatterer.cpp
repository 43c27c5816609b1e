#include "core/schedule/gradient_scatterer.hpp"

#include <utility>

namespace fourfold {

void GradientScatterer::scatter(RankContext& context, Parameter& parameter, const Tensor& d_weight) {
  const AxisSet axes = parameter.spec.placement.flat;
  const std::size_t keep = overlap_ && context.size(axes) > 1 ? kMaxInFlight : 0;
  in_flight_.push_back({&parameter, start_reduce_scatter(context, Stream::comm_z_scatter, axes, d_weight,
                                                         MemoryKind::workspace)});
  while (in_flight_.size() > keep) retire_oldest(context);
}

void GradientScatterer::finish(RankContext& context) {
  while (!in_flight_.empty()) retire_oldest(context);
}

void GradientScatterer::retire_oldest(RankContext& context) {
  Scatter scatter = std::move(in_flight_.front());
  in_flight_.pop_front();
  const Tensor shard = join(context, scatter.pending);
  launch(context, Accumulate{shard, scatter.parameter->gradient});
  reducer_.contributed(context, *scatter.parameter);
}

}  // namespace fourfold
