#pragma once
// OpenBLAS's matrix product for row-major matrices, overloaded by type.

#include <cstdint>

#include <cblas.h>

namespace fourfold::real::cpu {

/// A matrix in memory: rows `stride` elements apart; used transposed if so marked.
template <typename W>
struct BlasOperand {
  const W* data;
  std::int64_t stride;
  bool transposed = false;
};

/// c (m, n) = alpha a (m, k) b (k, n) + beta c.
inline void blas_gemm(std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                      BlasOperand<float> a, BlasOperand<float> b, float beta, float* c,
                      std::int64_t c_stride) {
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<blasint>(m),
              static_cast<blasint>(n), static_cast<blasint>(k), alpha, a.data,
              static_cast<blasint>(a.stride), b.data, static_cast<blasint>(b.stride), beta, c,
              static_cast<blasint>(c_stride));
}

inline void blas_gemm(std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
                      BlasOperand<double> a, BlasOperand<double> b, double beta, double* c,
                      std::int64_t c_stride) {
  cblas_dgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<blasint>(m),
              static_cast<blasint>(n), static_cast<blasint>(k), alpha, a.data,
              static_cast<blasint>(a.stride), b.data, static_cast<blasint>(b.stride), beta, c,
              static_cast<blasint>(c_stride));
}

}  // namespace fourfold::real::cpu
