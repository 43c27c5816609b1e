#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/cpu/blas.hpp"
#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {
namespace {

/// Rows or columns of the result that are worth a thread.
constexpr std::int64_t kGrain = 32;

struct Sizes {
  explicit Sizes(const Gemm& kernel) {
    const auto [a_rows, a_columns] = stored(kernel.a, kernel.transpose_a);
    const auto [b_rows, b_columns] = stored(kernel.b, kernel.transpose_b);
    if (b_rows != a_columns) {
      throw ShapeError(fmt::format("b has {} rows where a has {} columns", b_rows, a_columns));
    }
    m = a_rows;
    k = a_columns;
    n = b_columns;
  }
  static std::pair<std::int64_t, std::int64_t> stored(const Tensor& matrix, bool transposed) {
    const std::int64_t rows = rows_of(matrix);
    const std::int64_t columns = columns_of(matrix);
    return transposed ? std::pair(columns, rows) : std::pair(rows, columns);
  }
  std::int64_t m = 0, n = 0, k = 0;
};

template <typename W>
BlasOperand<W> from_row(BlasOperand<W> matrix, std::int64_t row) {
  matrix.data += matrix.transposed ? row : row * matrix.stride;
  return matrix;
}

template <typename W>
BlasOperand<W> from_column(BlasOperand<W> matrix, std::int64_t column) {
  matrix.data += matrix.transposed ? column * matrix.stride : column;
  return matrix;
}

/// OpenBLAS is told to use one thread; the rank's own threads each compute some rows of c, or some columns.
template <typename W>
void multiply(const Sizes& size, BlasOperand<W> a, BlasOperand<W> b, W beta, W* c,
              ThreadPool& threads) {
  if (size.m >= size.n) {
    threads.for_ranges(size.m, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
      blas_gemm(end - begin, size.n, size.k, W{1}, from_row(a, begin), b, beta, c + begin * size.n,
                size.n);
    });
  } else {
    threads.for_ranges(size.n, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
      blas_gemm(size.m, end - begin, size.k, W{1}, a, from_column(b, begin), beta, c + begin,
                size.n);
    });
  }
}

template <typename T, typename Result>
void run_typed(const Gemm& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const Sizes size(kernel);
  const WideInput<T> a(engine.cache, elements_of<T>(kernel.a, size.m * size.k, "a"),
                       size.m * size.k);
  const WideInput<T> b(engine.cache, elements_of<T>(kernel.b, size.k * size.n, "b"),
                       size.k * size.n);
  Result* stored = elements_of<Result>(kernel.c, size.m * size.n, "c");
  const WideOutput<Result> c(engine.cache, stored, size.m * size.n);
  if constexpr (!std::is_same_v<Result, W>) {
    if (kernel.accumulate) convert(stored, c.data(), size.m * size.n);
  }
  multiply<W>(size, {a.data(), columns_of(kernel.a), kernel.transpose_a},
              {b.data(), columns_of(kernel.b), kernel.transpose_b}, kernel.accumulate ? W{1} : W{0},
              c.data(), engine.threads);
  c.store();
}

}  // namespace

void run(const Gemm& kernel, CpuEngine& engine) {
  with_float_type(kernel.a.dtype, [&](auto type) {
    using T = decltype(type);
    if (kernel.c.dtype == kernel.a.dtype) return run_typed<T, T>(kernel, engine);
    run_typed<T, Wide<T>>(kernel, engine);
  });
}

}  // namespace fourfold::real::cpu
