#include "real/cpu/column_accumulator.hpp"
#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {
namespace {

template <typename T>
void run_typed(const ColumnSum& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  constexpr std::int64_t kGrain = 16384;  // elements that are worth a thread
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t columns = columns_of(kernel.input);
  const T* input = elements_of<T>(kernel.input, rows * columns, "input");
  W* output = elements_of<W>(kernel.output, columns, "output");
  const ColumnAccumulator<W> sums(engine, columns);
  engine.threads.for_ranges(rows, kGrain / columns + 1,
                            [&](std::int64_t begin, std::int64_t end, int thread) {
                              W* sum = sums.of(thread);
                              for (std::int64_t r = begin; r < end; ++r) {
                                const T* row = input + r * columns;
#pragma omp simd
                                for (std::int64_t c = 0; c < columns; ++c) sum[c] += widen(row[c]);
                              }
                            });
  sums.add_to(output);
}

}  // namespace

void run(const ColumnSum& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
