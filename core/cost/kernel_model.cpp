#include "core/cost/kernel_model.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/cost/attention_model.hpp"
#include "core/cost/kernel_profile.hpp"

namespace fourfold {
namespace {

/// The reached fraction of the memory bandwidth; 0 for kernels that are not bound by it. One line
/// for every kernel, so that the compiler asks for a new one's family.
struct BandwidthFraction {
  const MemoryBoundConstants& fraction;

  double operator()(const Gemm&) const { return 0; }
  double operator()(const AttentionForward&) const { return 0; }
  double operator()(const AttentionBackward&) const { return 0; }

  double operator()(const AddBias&) const { return fraction.elementwise; }
  double operator()(const BiasGelu&) const { return fraction.elementwise; }
  double operator()(const BiasGeluBackward&) const { return fraction.elementwise; }
  double operator()(const BiasResidual&) const { return fraction.elementwise; }
  double operator()(const Dropout&) const { return fraction.elementwise; }
  double operator()(const AddPositions&) const { return fraction.elementwise; }
  double operator()(const MergeColumns&) const { return fraction.elementwise; }
  double operator()(const SplitColumns&) const { return fraction.elementwise; }
  double operator()(const Fill&) const { return fraction.elementwise; }
  double operator()(const Cast&) const { return fraction.elementwise; }
  double operator()(const Accumulate&) const { return fraction.elementwise; }

  double operator()(const RowMoments&) const { return fraction.reduction; }
  double operator()(const LayerNormForward&) const { return fraction.reduction; }
  double operator()(const ColumnSum&) const { return fraction.reduction; }
  double operator()(const PositionsBackward&) const { return fraction.reduction; }
  double operator()(const SumOfSquares&) const { return fraction.reduction; }

  double operator()(const LayerNormBackwardSums&) const { return fraction.layer_norm_backward; }
  double operator()(const LayerNormBackward&) const { return fraction.layer_norm_backward; }

  double operator()(const RowMax&) const { return fraction.softmax; }
  double operator()(const SoftmaxSums&) const { return fraction.softmax; }
  double operator()(const CrossEntropyLoss&) const { return fraction.softmax; }
  double operator()(const CrossEntropyBackward&) const { return fraction.softmax; }

  double operator()(const EmbeddingForward&) const { return fraction.embedding; }
  double operator()(const EmbeddingBackward&) const { return fraction.embedding; }

  double operator()(const AdamW&) const { return fraction.optimizer; }
};

/// Of either pass; both have the same fields.
template <typename Attention>
AttentionShape shape_of(const Attention& attention) {
  const std::int64_t rows = attention.qkv.shape[0];
  return {.dtype = attention.qkv.dtype,
          .batch = rows / attention.sequence * attention.heads,
          .sequence = attention.sequence,
          .head_dim = attention.head_dim};
}

Seconds attention_time(const AttentionForward& attention, const GpuSpec& gpu, ClockMode mode) {
  const AttentionShape shape = shape_of(attention);
  return attention.algorithm == AttentionAlgorithm::flash
             ? flash_attention_forward_time(shape, gpu)
             : unfused_attention_forward_time(shape, gpu, mode);
}

Seconds attention_time(const AttentionBackward& attention, const GpuSpec& gpu, ClockMode mode) {
  const AttentionShape shape = shape_of(attention);
  return attention.algorithm == AttentionAlgorithm::flash
             ? flash_attention_backward_time(shape, gpu)
             : unfused_attention_backward_time(shape, gpu, mode);
}

std::optional<Seconds> measured_time(const Kernel& kernel, const KernelProfile& profile) {
  const std::string name(name_of(kernel));
  if (const auto* forward = std::get_if<AttentionForward>(&kernel)) {
    return profile.attention_time(name, shape_of(*forward));
  }
  if (const auto* backward = std::get_if<AttentionBackward>(&kernel)) {
    return profile.attention_time(name, shape_of(*backward));
  }
  return std::nullopt;
}

}  // namespace

KernelModel::KernelModel(GpuSpec gpu, ClockMode mode, double slowdown)
    : gpu_(std::move(gpu)), mode_(mode), slowdown_(slowdown) {}

Seconds KernelModel::time(const GemmShape& shape) const {
  const auto known = gemm_times_.find(shape);
  if (known != gemm_times_.end()) return known->second;
  const auto modelled = [&](const GemmShape& any) { return gemm_time(any, gpu_, mode_); };
  std::optional<Seconds> measured;
  if (gpu_.profile) measured = gpu_.profile->gemm_time(shape, modelled);
  const Seconds time = slowdown_ * (measured ? *measured : modelled(shape));
  gemm_times_.emplace(shape, time);
  return time;
}

Seconds KernelModel::time(const Kernel& kernel) const {
  if (const auto* gemm = std::get_if<Gemm>(&kernel)) return time(blas_shape(*gemm));
  if (gpu_.profile) {
    if (const auto measured = measured_time(kernel, *gpu_.profile)) return slowdown_ * *measured;
  }
  return slowdown_ * modelled_time(kernel);
}

Seconds KernelModel::modelled_time(const Kernel& kernel) const {
  if (const auto* forward = std::get_if<AttentionForward>(&kernel)) {
    return attention_time(*forward, gpu_, mode_);
  }
  if (const auto* backward = std::get_if<AttentionBackward>(&kernel)) {
    return attention_time(*backward, gpu_, mode_);
  }
  const double fraction = std::visit(BandwidthFraction{gpu_.memory_bound}, kernel);
  const double bytes = static_cast<double>(bytes_moved(kernel));
  return gpu_.memory_bound.launch_time + bytes / (fraction * gpu_.memory_bandwidth);
}

}  // namespace fourfold
