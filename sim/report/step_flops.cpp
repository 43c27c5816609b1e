#include "sim/report/step_flops.hpp"

#include <string_view>

namespace fourfold::sim {
namespace {

/// Ranges are paths, "backward/block 3/recompute/mlp".
bool is_recomputation(std::string_view range) {
  return range.find("recompute") != std::string_view::npos;
}

/// FLOPs of a kernel that repeat earlier ones.
Flops repeated_flops(const Kernel& kernel, std::string_view range) {
  if (is_recomputation(range)) return flops(kernel);
  const auto* attention = std::get_if<AttentionBackward>(&kernel);
  const bool flash = attention != nullptr && attention->algorithm == AttentionAlgorithm::flash;
  // Flash attention computes the scores again, one of the five products of its backward pass.
  return flash ? flops(kernel) / 5 : 0;
}

Flops repeated_flops(const StepProgram& program) {
  Flops sum = 0;
  for (const Op& op : program.ops) {
    const auto* launched = std::get_if<KernelOp>(&op.action);
    if (launched == nullptr) continue;
    sum += repeated_flops(launched->kernel, program.ranges.at(static_cast<std::size_t>(op.range)));
  }
  return sum;
}

/// The formulas take the length of the sequences from the model; a run may use shorter ones.
GptConfig model_as_trained(const RunSetup& setup) {
  GptConfig model = setup.model;
  model.sequence = setup.train.sequence;
  return model;
}

}  // namespace

StepFlops hardware_flops(const RunSetup& setup, const StepProgram& program) {
  const GptConfig model = model_as_trained(setup);
  const Flops formula = setup.train.recompute == Recompute::full
                            ? model.formula_hardware_flops(setup.train.batch)
                            : model.formula_model_flops(setup.train.batch);
  return {total_flops(program) * setup.gpus(), formula};
}

StepFlops model_flops(const RunSetup& setup, const StepProgram& program) {
  const Flops per_gpu = total_flops(program) - repeated_flops(program);
  return {per_gpu * setup.gpus(), model_as_trained(setup).formula_model_flops(setup.train.batch)};
}

}  // namespace fourfold::sim
