#include "core/layers/mlp.hpp"

#include <utility>

namespace fourfold {

Mlp::Mlp(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options)
    : expand_(store, grid, name + ".fc1", {.inputs = options.hidden, .outputs = options.ffn, .bucket = options.bucket}),
      contract_(store, grid, name + ".fc2",
                {.inputs = options.ffn,
                 .outputs = options.hidden,
                 .orientation = Orientation::transposed,
                 .standard_deviation = options.contract_deviation,
                 .bucket = options.bucket}) {}

Tensor Mlp::forward(StepContext& step, const Tensor& input, Keep keep, MlpActivations& kept) const {
  const Range range(step.device, "mlp");
  Tensor expanded = expand_.forward(step, input, keep, kept.expand);  // (m/z, f/x)
  const Tensor activated = step.device.allocate(expanded.shape, expanded.dtype, MemoryKind::activations);
  launch(step, BiasGelu{expanded, expand_.bias().value, activated});
  if (keep != Keep::nothing) kept.expanded = expanded;
  expanded = {};
  return contract_.forward(step, activated, keep, kept.contract);  // (m/z, h/y)
}

Tensor Mlp::backward(StepContext& step, const Tensor& d_output, MlpActivations kept) const {
  const Range range(step.device, "mlp");
  const Tensor d_expanded =
      contract_.backward(step, d_output, std::exchange(kept.contract, {}));  // d_activated, (m/z, f/x)
  launch(step, BiasGeluBackward{d_expanded, kept.expanded, expand_.bias().value, d_expanded});
  kept.expanded = {};
  return expand_.backward(step, d_expanded, std::exchange(kept.expand, {}));  // (m/z, h/y)
}

}  // namespace fourfold
