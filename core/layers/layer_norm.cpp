#include "core/layers/layer_norm.hpp"

#include "core/layers/linear.hpp"

namespace fourfold {

LayerNorm::LayerNorm(ParameterStore& store, const Grid& grid, const std::string& name, std::int64_t columns)
    : columns_(columns) {
  const Placement placement{{}, Axis::y, {}, 1};
  const std::string bucket = vector_bucket(Axis::y);
  gain_ = store.add(grid, bucket, {.name = name + ".weight", .shape = {1, columns}, .placement = placement, .mean = 1.0});
  bias_ = store.add(grid, bucket, {.name = name + ".bias", .shape = {1, columns}, .placement = placement});
}

Tensor LayerNorm::forward(StepContext& step, const Tensor& input, Keep keep, LayerNormActivations& kept) const {
  const Tensor moments =
      step.device.allocate({input.shape[0], 2}, wide(input.dtype), MemoryKind::activations);  // Partial over y
  launch(step, RowMoments{input, moments});
  all_reduce(step, Axis::y, moments);
  const Tensor output = step.device.allocate(input.shape, input.dtype, MemoryKind::activations);
  launch(step, LayerNormForward{input, moments, gain_->value, bias_->value, output, columns_});
  if (keep != Keep::nothing) kept = {input, moments};
  return output;
}

Tensor LayerNorm::backward(StepContext& step, const Tensor& d_output, const Tensor& d_residual,
                           LayerNormActivations kept) const {
  const Tensor row_sums =
      step.device.allocate({d_output.shape[0], 2}, wide(d_output.dtype), MemoryKind::workspace);  // Partial over y
  launch(step, LayerNormBackwardSums{d_output, kept.input, kept.moments, gain_->value, row_sums, gain_->gradient,
                                     bias_->gradient, columns_});
  step.gradients.added_in_place(step, *gain_);
  step.gradients.added_in_place(step, *bias_);
  all_reduce(step, Axis::y, row_sums);
  const Tensor d_input = step.device.allocate(d_output.shape, d_output.dtype, MemoryKind::workspace);
  launch(step, LayerNormBackward{d_output, kept.input, kept.moments, gain_->value, row_sums, d_residual, d_input,
                                 columns_});
  return d_input;
}

}  // namespace fourfold
