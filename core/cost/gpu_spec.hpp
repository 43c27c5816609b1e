#pragma once
// Constants of a GPU and of the kernels on it, read from platforms/gpus/NAME.json, where each has
// its source.

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/tensor/dtype.hpp"

namespace fourfold {

/// Which operands of C (m x n) = op(A) op(B) BLAS transposes, in its column-major view: first A,
/// then B. TT has no measurements and no user; it counts as NT, the slowest of the others.
enum class GemmLayout : std::uint8_t { nn, nt, tn };
inline constexpr int kGemmLayoutCount = 3;

/// Constants of the tile/wave model for one layout; gemm_model.hpp has the equations they stand in.
struct GemmConstants {
  double efficiency =
      1.0;  ///< eff: multiply-adds per cycle against peak, before the loss of small tiles
  double tile_loss = 0.0;          ///< c: loss of small tiles
  Seconds tile_time = 0.0;         ///< t_tile: prologue and epilogue of one tile
  double wave_quantisation = 1.0;  ///< alpha: 1 = a partial last wave costs a full one
  double memory_efficiency = 1.0;  ///< eta: reached fraction of the memory bandwidth
  Seconds launch_time = 0.0;       ///< t0: start and end of the kernel, gap to the next included
  double overlap_exponent = 2.0;   ///< p of the p-norm that joins compute and memory time
  Seconds reduction_time = 0.0;    ///< t_red: extra kernel that sums the parts of a split k
  BytesPerSecond reduction_bandwidth = 1.0;
  double sustained_clock_loss = 0.0;  ///< d: slow-down from boost clock to the power limit
  Seconds boost_time = 1.0;           ///< t_c: compute time at which a benchmark has lost half of d
  double scale = 1.0;                 ///< measured time over modelled time, one factor per layout
};

/// Output tile of one multiprocessor.
struct GemmTile {
  std::int64_t rows = 0, columns = 0;
};

/// Constants of flash attention for one pass; attention_model.hpp has the equations they stand in.
struct AttentionConstants {
  Flops rate_64 = 0, rate_128 = 0, rate_256 = 0;  ///< Rinf at head dimension 64, 128, 256, FLOP/s
  double half_sequence = 1.0;                     ///< S0: sequence length of half the rate
  double exponent = 1.0;                          ///< gamma
  Seconds launch_time = 0.0;
};

/// Reached fractions of the memory bandwidth, by family of kernels (bytes counted as in
/// bytes_moved()).
struct MemoryBoundConstants {
  double elementwise = 1.0;
  double reduction = 1.0;  ///< sums over rows or columns, LayerNorm forward
  double layer_norm_backward = 1.0;
  double softmax = 1.0;  ///< softmax and cross-entropy
  double embedding = 1.0;
  double optimizer = 1.0;
  Seconds launch_time = 0.0;  ///< gap between dependent kernels of a stream
};

class KernelProfile;
/// A product for which the library picks a bad kernel in one layout: `factor` times the modelled time, for any n.
struct SlowProduct {
  GemmLayout layout = GemmLayout::nn;
  std::int64_t m = 0, k = 0;
  double factor = 1.0;
};

struct GpuSpec {
  std::string name;
  std::string framework;  ///< file of platforms/frameworks that usually runs on it; empty: none
  int multiprocessors = 1;
  Flops peak_flops = 0;            ///< dense bf16 FLOP/s of the data sheet
  Flops peak_flops_fp32 = 0;       ///< without TF32
  Flops peak_flops_fp64 = 0;       ///< with the matrix units where they have fp64
  Flops empirical_peak_flops = 0;  ///< best measured large bf16 GEMM, FLOP/s
  Bytes memory = 0;
  BytesPerSecond memory_bandwidth = 0;

  std::array<GemmConstants, kGemmLayoutCount> gemm;  ///< by GemmLayout
  std::vector<GemmTile> tiles;                       ///< among which the library chooses
  AttentionConstants attention_forward, attention_backward;
  MemoryBoundConstants memory_bound;
  std::shared_ptr<const KernelProfile> profile;  ///< measured times to prefer; may be null
  /// By what fraction kernels take longer while collectives are in flight, which take some of the multiprocessors and of
  /// the memory bandwidth.
  double overlap_slowdown = 0;
  std::vector<SlowProduct> slow_products;
  /// Every product in the layout that is fastest, operands laid out anew if need be, as a tuner finds it that times all of
  /// them in the first step (AxoNN, SC24, section V.C). Not a constant of the GPU: a choice of the run.
  bool tunes_products = false;

  /// Data-sheet peak for a type; int32 counts as fp32.
  Flops peak_flops_of(DType dtype) const;
};

/// Reads and checks a GPU file. Throws ConfigError naming file and key.
GpuSpec read_gpu_spec(const std::filesystem::path& file);

}  // namespace fourfold
