#include "core/layers/linear.hpp"

namespace fourfold {

std::string vector_bucket(Axis axis) { return "vectors_" + std::string(name_of(axis)); }

Linear::Linear(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options)
    : input_axis_(options.orientation == Orientation::normal ? Axis::y : Axis::x),
      output_axis_(options.orientation == Orientation::normal ? Axis::x : Axis::y) {
  weight_ = store.add(grid, options.bucket,
                      {.name = name + ".weight",
                       .shape = {options.inputs, options.outputs},
                       .placement = {input_axis_, output_axis_, Axis::z, options.output_parts},
                       .standard_deviation = options.standard_deviation});
  bias_ = store.add(grid, vector_bucket(output_axis_),
                    {.name = name + ".bias",
                     .shape = {1, options.outputs},
                     .placement = {{}, output_axis_, {}, options.output_parts}});
}

Tensor Linear::forward(StepContext& step, const Tensor& input, Keep keep, LinearActivations& kept) const {
  const Tensor weight = step.weights.take(step, *weight_);                                // (k/y, n/x)
  const Tensor output = matmul(step, input, weight, Transpose::none, MemoryKind::activations);  // (m/z, n/x), Partial over y
  all_reduce(step, input_axis_, output);
  if (keep != Keep::nothing) kept.input = input;
  if (keep == Keep::inputs_and_weights) kept.weight = weight;
  return output;
}

Tensor Linear::backward(StepContext& step, const Tensor& d_output, LinearActivations kept) const {
  const Tensor weight = kept.weight.defined() ? kept.weight : step.weights.take(step, *weight_);

  const auto input_gradient = [&] {
    const Tensor d_input = matmul(step, d_output, weight, Transpose::b, MemoryKind::workspace);  // (m/z, k/y), Partial over x
    return start_all_reduce(step, reduction_stream(output_axis_), output_axis_, d_input);
  };
  const auto parameter_gradients = [&] {
    const Tensor d_weight = matmul(step, kept.input, d_output, Transpose::a, MemoryKind::workspace);  // (k/y, n/x), Partial over z
    step.gradients.scatter(step, *weight_, d_weight);
    launch(step, ColumnSum{d_output, bias_->gradient});
    step.gradients.added_in_place(step, *bias_);
  };

  // Without an all_reduce to hide, the scatter of dW starts first and hides behind the GEMM of dI (as AxoNN does).
  const bool weight_first = step.size(output_axis_) == 1;
  if (weight_first) parameter_gradients();
  Pending d_input = input_gradient();
  if (!step.overlap.all_reduce) join(step, d_input);
  if (!weight_first) parameter_gradients();
  return join(step, d_input);
}

}  // namespace fourfold
