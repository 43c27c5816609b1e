#pragma once
// Measured kernels beside the kernel models at benchmark clock.

#include "sim/validate/comparison.hpp"
#include "sim/validate/measured_names.hpp"
#include "sim/validate/measured_table.hpp"

namespace fourfold::sim {

/// Columns: gpu, library, dtype, transA, transB ("T", "N"; BLAS's column-major view), m, n, k, batch, time_us, source.
/// Ideal: the slower of FLOPs at peak and bytes at full bandwidth.
ComparisonSet compare_gemms(const MeasuredTable& table, const MeasuredNames& names);

/// Columns: gpu, impl, pass ("fwd", "bwd", "fwd+bwd"), causal, batch, heads, kv_heads, seqlen, head_dim, time_us, source.
/// Only what the models describe: causal, as many key as query heads, FlashAttention of the generation that the GPU's
/// constants are of, or unfused. Ideal: FLOPs at peak.
ComparisonSet compare_attention(const MeasuredTable& table, const MeasuredNames& names);

}  // namespace fourfold::sim
