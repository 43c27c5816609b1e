#include "core/cost/attention_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/math.hpp"

namespace fourfold {
namespace {

constexpr std::int64_t kQueriesPerBlock = 128;
constexpr double kBackwardFlops = 2.5;  // five products instead of two

Flops saturated_rate(const AttentionConstants& constants, std::int64_t head_dim) {
  const double d = static_cast<double>(head_dim);
  if (d <= 64) return constants.rate_64 * d / 64;
  if (d <= 128) return std::lerp(constants.rate_64, constants.rate_128, (d - 64) / 64);
  return std::lerp(constants.rate_128, constants.rate_256, std::min(1.0, (d - 128) / 128));
}

Seconds flash_time(const AttentionShape& shape, const AttentionConstants& constants,
                   const GpuSpec& gpu, double flops_factor) {
  const double sequence = static_cast<double>(shape.sequence);
  const double waves =
      static_cast<double>(shape.batch * ceil_div(shape.sequence, kQueriesPerBlock)) /
      gpu.multiprocessors;
  const double fill = waves / (0.5 * std::ceil(waves) + 0.5 * std::max(waves, 1.0));
  const double saturation = 1.0 + std::pow(constants.half_sequence / sequence, constants.exponent);
  const double type_ratio = gpu.peak_flops_of(shape.dtype) / gpu.peak_flops;
  const Flops rate = saturated_rate(constants, shape.head_dim) / saturation * fill * type_ratio;
  const Flops causal_flops =
      2.0 * static_cast<double>(shape.batch * shape.head_dim) * sequence * sequence;
  return constants.launch_time + flops_factor * causal_flops / rate;
}

/// A product with the S x S matrix of scores or probabilities as output.
Seconds scores_time(GemmLayout layout, const AttentionShape& shape, const GpuSpec& gpu,
                    ClockMode mode) {
  return gemm_time({.layout = layout,
                    .dtype = shape.dtype,
                    .m = shape.sequence,
                    .n = shape.sequence,
                    .k = shape.head_dim,
                    .batch = shape.batch,
                    .output_bytes = size_of(shape.dtype)},
                   gpu, mode);
}

/// A product of an S x S matrix with one of S x d.
Seconds values_time(GemmLayout layout, const AttentionShape& shape, const GpuSpec& gpu,
                    ClockMode mode) {
  return gemm_time({.layout = layout,
                    .dtype = shape.dtype,
                    .m = shape.head_dim,
                    .n = shape.sequence,
                    .k = shape.sequence,
                    .batch = shape.batch,
                    .output_bytes = size_of(shape.dtype)},
                   gpu, mode);
}

/// A softmax kernel that reads or writes `passes` matrices of S x S.
Seconds softmax_time(int passes, const AttentionShape& shape, const GpuSpec& gpu) {
  const double bytes = static_cast<double>(passes * size_of(shape.dtype) * shape.batch) *
                       static_cast<double>(shape.sequence * shape.sequence);
  return gpu.memory_bound.launch_time + bytes / (gpu.memory_bound.softmax * gpu.memory_bandwidth);
}

}  // namespace

Seconds flash_attention_forward_time(const AttentionShape& shape, const GpuSpec& gpu) {
  return flash_time(shape, gpu.attention_forward, gpu, 1.0);
}

Seconds flash_attention_backward_time(const AttentionShape& shape, const GpuSpec& gpu) {
  return flash_time(shape, gpu.attention_backward, gpu, kBackwardFlops);
}

Seconds unfused_attention_forward_time(const AttentionShape& shape, const GpuSpec& gpu,
                                       ClockMode mode) {
  return scores_time(GemmLayout::tn, shape, gpu, mode)     // q k^T
         + softmax_time(2, shape, gpu)                     // scores -> probabilities
         + values_time(GemmLayout::nn, shape, gpu, mode);  // p v
}

Seconds unfused_attention_backward_time(const AttentionShape& shape, const GpuSpec& gpu,
                                        ClockMode mode) {
  return values_time(GemmLayout::nt, shape, gpu, mode)     // dv = p^T do
         + scores_time(GemmLayout::tn, shape, gpu, mode)   // dp = do v^T
         + softmax_time(3, shape, gpu)                     // p, dp -> ds
         + values_time(GemmLayout::nn, shape, gpu, mode)   // dq = ds k
         + values_time(GemmLayout::nt, shape, gpu, mode);  // dk = ds^T q
}

}  // namespace fourfold
