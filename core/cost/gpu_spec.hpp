#pragma once
// Constants of a GPU and of the kernels on it, read from platforms/gpus/NAME.json, where each has its source.

#include <array>
#include <filesystem>
#include <string>

#include "core/base/units.hpp"

namespace fourfold {

/// Storage order of a GEMM's operands as BLAS names it (column-major view of our row-major matrices).
enum class GemmLayout { nn, nt, tn };

/// Constants of the tile/wave GEMM model for one layout; see kernel_model.hpp for their meaning.
struct GemmConstants {
  double efficiency = 1.0;           ///< reached fraction of peak before tile losses
  double tile_loss = 0.0;            ///< c: loss of small tiles
  Seconds tile_time = 0.0;           ///< prologue and epilogue of one tile
  double wave_quantisation = 1.0;    ///< alpha: 1 = a partial last wave costs a full one
  double memory_efficiency = 1.0;    ///< reached fraction of the memory bandwidth
  Seconds launch_time = 0.0;         ///< t0
  double overlap_exponent = 2.0;     ///< p of the p-norm joining compute and memory time
  Seconds reduction_time = 0.0;      ///< extra kernel of a split-k GEMM
  BytesPerSecond reduction_bandwidth = 1.0;
  double sustained_clock_loss = 0.0; ///< d: slow-down at the power limit (training mode)
};

/// R(S) = peak / (1 + (S0 / S)^gamma): the rate of causal attention at sequence length S.
struct AttentionConstants {
  double peak_flops_d64 = 0, peak_flops_d128 = 0, peak_flops_d256 = 0;  ///< FLOP/s at head dimension 64, 128, 256
  double half_sequence = 1.0;  ///< S0
  double exponent = 1.0;       ///< gamma
  Seconds launch_time = 0.0;
};

struct GpuSpec {
  std::string name;
  int multiprocessors = 1;
  Flops peak_flops = 0;              ///< dense bf16 FLOP/s of the data sheet
  Flops empirical_peak_flops = 0;    ///< best measured large GEMM, FLOP/s
  Bytes memory = 0;
  BytesPerSecond memory_bandwidth = 0;
  std::array<GemmConstants, 3> gemm; ///< by GemmLayout
  AttentionConstants attention_forward, attention_backward;
  /// Reached fractions of the memory bandwidth, by family of kernels.
  double elementwise_efficiency = 0.85, reduction_efficiency = 0.5, softmax_efficiency = 0.6, embedding_efficiency = 0.8,
         optimizer_efficiency = 0.8;
  Seconds kernel_launch_time = 0.0;  ///< gap between back-to-back kernels of a stream
};

/// Reads and checks a GPU file. Throws ConfigError naming file and key.
GpuSpec read_gpu_spec(const std::filesystem::path& file);

}  // namespace fourfold
