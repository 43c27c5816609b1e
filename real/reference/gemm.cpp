#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {
namespace {

Array transposed(const Array& matrix) {
  Array result({matrix.size(1), matrix.size(0)});
  for (std::int64_t i = 0; i < matrix.size(0); ++i) {
    for (std::int64_t j = 0; j < matrix.size(1); ++j) result(j, i) = matrix(i, j);
  }
  return result;
}

Array operand(const Tensor& tensor, bool transpose, const char* what) {
  Array stored = load(tensor, {rows_of(tensor), columns_of(tensor)}, what);
  return transpose ? transposed(stored) : stored;
}

}  // namespace

void run(const Gemm& kernel) {
  const Array a = operand(kernel.a, kernel.transpose_a, "a");
  const Array b = operand(kernel.b, kernel.transpose_b, "b");
  const std::int64_t m = a.size(0);
  const std::int64_t k = a.size(1);
  const std::int64_t n = b.size(1);
  if (b.size(0) != k) load(kernel.b, {k, n}, "b");  // throws, naming b
  Array c = kernel.accumulate ? load(kernel.c, {m, n}, "c") : Array({m, n});
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t l = 0; l < k; ++l) {
      const double factor = a(i, l);
      for (std::int64_t j = 0; j < n; ++j) c(i, j) += factor * b(l, j);
    }
  }
  store(c, kernel.c, "c");
}

}  // namespace fourfold::real
