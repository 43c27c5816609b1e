#include "core/program/step_program.hpp"

#include <fmt/format.h>

namespace fourfold {
namespace {

std::string describe(const Tensor& tensor) {
  if (!tensor.defined()) return "-";
  const std::string offset = tensor.offset == 0 ? "" : fmt::format("+{}", tensor.offset);
  return fmt::format("%{}{}:{}{}", tensor.storage->id(), offset, name_of(tensor.dtype), to_string(tensor.shape));
}

struct Describe {
  std::string operator()(const KernelOp& op) const {
    Kernel kernel = op.kernel;
    std::string text = fmt::format("{:<14} {}", name_of(op.stream), name_of(kernel));
    for (const Tensor* tensor : operands(kernel)) text += " " + describe(*tensor);
    if (const auto* gemm = std::get_if<Gemm>(&kernel)) {
      text += fmt::format(" {}{}{}", gemm->transpose_a ? 'T' : 'N', gemm->transpose_b ? 'T' : 'N',
                          gemm->accumulate ? " accumulate" : "");
    }
    return text;
  }
  std::string operator()(const CollectiveOp& op) const {
    return fmt::format("{:<14} {} over {} {} -> {}", name_of(op.stream), name_of(op.collective.kind),
                       name_of(op.collective.group), describe(op.collective.input), describe(op.collective.output));
  }
  std::string operator()(const RecordOp& op) const {
    return fmt::format("{:<14} record event {}", name_of(op.stream), op.event.id);
  }
  std::string operator()(const WaitOp& op) const {
    return fmt::format("{:<14} wait event {}", name_of(op.stream), op.event.id);
  }
  std::string operator()(const AllocateOp& op) const {
    return fmt::format("{:<14} allocate %{} {} bytes {}", "memory", op.storage, op.bytes, name_of(op.kind));
  }
  std::string operator()(const FreeOp& op) const { return fmt::format("{:<14} free %{}", "memory", op.storage); }
  std::string operator()(const CopyOp& op) const {
    return fmt::format("{:<14} {} {}", name_of(op.stream), op.to_device ? "upload" : "download", describe(op.tensor));
  }
  std::string operator()(const SynchronizeOp&) const { return "host           synchronize"; }
};

}  // namespace

std::string to_string(const StepProgram& program) {
  std::string text;
  for (const Op& op : program.ops) {
    text += std::visit(Describe{}, op.action);
    text += fmt::format("  # {}\n", program.ranges.at(static_cast<std::size_t>(op.range)));
  }
  return text;
}

Flops total_flops(const StepProgram& program) {
  Flops sum = 0;
  for (const Op& op : program.ops) {
    if (const auto* kernel = std::get_if<KernelOp>(&op.action)) sum += flops(kernel->kernel);
  }
  return sum;
}

}  // namespace fourfold
