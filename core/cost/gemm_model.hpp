#pragma once
// Time of a matrix product: a roofline with tiles and waves. For every output tile (bm x bn) and
// every split of k into s parts that the library may choose:
//
//     tiles    T    = batch ceil(m/bm) ceil(n/bn) s
//     depth    kt   = 64 ceil(k / (64 s))
//     tile     tau  = 2 bm bn kt n_sm / (eff peak) (1 + c (64/bm + 64/bn)) + t_tile
//     waves    W    = max(1, alpha ceil(T/n_sm) + (1 - alpha) T/n_sm)
//     compute  comp = W tau (1 + d)                                    training
//                     W tau (1 + d / (1 + (t_c / (W tau))^2))          benchmark
//     memory   mem  = batch (e (m k + k n) + e_out m n) / (eta bandwidth)
//     time          = t0 + (comp^p + mem^p)^(1/p) + [s > 1] (t_red + 4 m n (s + 1) batch /
//     bandwidth_red)
//
// The smallest of these times, which stands for the library's choice, times the layout's scale. k/s
// >= 128 for s > 1. Constants, their fit and its errors: core/cost/README.md.
//
// With GpuSpec::tunes_products the smallest over all layouts, those that are not the asked one with the copies that lay
// their operands out anew.

#include <cstddef>

#include "core/backend/kernel.hpp"
#include "core/cost/clock_mode.hpp"
#include "core/cost/gpu_spec.hpp"

namespace fourfold {

/// C (m x n) = op(A) (m x k) op(B) (k x n) for each of `batch`, in BLAS's column-major convention.
struct GemmShape {
  GemmLayout layout = GemmLayout::nn;
  DType dtype = DType::bfloat16;  ///< of A and B
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t batch = 1;
  Bytes output_bytes = 2;  ///< moved per element of C: written, and read before when accumulating

  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

struct GemmShapeHash {
  std::size_t operator()(const GemmShape& shape) const;
};

/// BLAS's view of a row-major product. Memory of a row-major matrix read column-major is its
/// transpose, so BLAS is asked for c^T = op(b)^T op(a)^T: m and n change places, b comes first, and
/// what was transposed stays transposed. x w^T (a linear layer) is TN, dy w is NN, dy^T x is NT.
GemmShape blas_shape(const Gemm& gemm);

/// Other types than bf16 take the bf16 constants at the data sheet's ratio of peaks.
Seconds gemm_time(const GemmShape& shape, const GpuSpec& gpu, ClockMode mode);

}  // namespace fourfold
