// loss = scale sum_r (log sum_v exp(l_rv - max_r) - (l_r,target - max_r)), with the columns v split over ranks.

#include <algorithm>
#include <cmath>

#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"
#include "real/cpu/vector_math.hpp"

namespace fourfold::real::cpu {
namespace {

/// Calls `body(row, first element of the row)` for every row, rows shared out to the threads.
template <typename Body>
void for_rows(CpuEngine& engine, const Tensor& logits, Body body) {
  constexpr std::int64_t kGrain = 8192;  // elements that are worth a thread
  const std::int64_t columns = columns_of(logits);
  engine.threads.for_ranges(rows_of(logits), kGrain / columns + 1,
                            [&](std::int64_t begin, std::int64_t end, int) {
                              for (std::int64_t r = begin; r < end; ++r) body(r, r * columns);
                            });
}

template <typename W>
void run_typed(const RowMax& kernel, CpuEngine& engine) {
  const std::int64_t columns = columns_of(kernel.logits);
  const W* logits = elements_of<W>(kernel.logits, kernel.logits.elements(), "logits");
  W* output = elements_of<W>(kernel.output, rows_of(kernel.logits), "output");
  for_rows(engine, kernel.logits, [=](std::int64_t r, std::int64_t at) {
    W largest = logits[at];
#pragma omp simd reduction(max : largest)
    for (std::int64_t v = 1; v < columns; ++v) largest = std::max(largest, logits[at + v]);
    output[r] = largest;
  });
}

template <typename W>
void run_typed(const SoftmaxSums& kernel, CpuEngine& engine) {
  const std::int64_t rows = rows_of(kernel.logits);
  const std::int64_t columns = columns_of(kernel.logits);
  const W* logits = elements_of<W>(kernel.logits, rows * columns, "logits");
  const W* maximum = elements_of<W>(kernel.maximum, rows, "maximum");
  const std::int32_t* targets = elements_of<std::int32_t>(kernel.targets, rows, "targets");
  W* output = elements_of<W>(kernel.output, 2 * rows, "output");
  for_rows(engine, kernel.logits,
           [=, first_column = kernel.first_column](std::int64_t r, std::int64_t at) {
             W sum = 0;
#pragma omp simd reduction(+ : sum)
             for (std::int64_t v = 0; v < columns; ++v)
               sum += exponential(logits[at + v] - maximum[r]);
             const std::int64_t target = targets[r] - first_column;
             output[2 * r] = sum;
             output[2 * r + 1] =
                 target >= 0 && target < columns ? logits[at + target] - maximum[r] : W{0};
           });
}

template <typename W>
void run_typed(const CrossEntropyLoss& kernel) {
  const std::int64_t rows = kernel.sums.elements() / 2;
  const W* sums = elements_of<W>(kernel.sums, 2 * rows, "sums");
  W* loss = elements_of<W>(kernel.loss, 1, "loss");
  double total = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    total += std::log(static_cast<double>(sums[2 * r])) - sums[2 * r + 1];
  *loss = static_cast<W>(*loss + kernel.scale * total);
}

template <typename T>
void run_typed(const CrossEntropyBackward& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const std::int64_t rows = rows_of(kernel.logits);
  const std::int64_t columns = columns_of(kernel.logits);
  const W* logits = elements_of<W>(kernel.logits, rows * columns, "logits");
  const W* maximum = elements_of<W>(kernel.maximum, rows, "maximum");
  const W* sums = elements_of<W>(kernel.sums, 2 * rows, "sums");
  const std::int32_t* targets = elements_of<std::int32_t>(kernel.targets, rows, "targets");
  T* d_logits = elements_of<T>(kernel.d_logits, rows * columns, "d_logits");
  const W scale = static_cast<W>(kernel.scale);
  for_rows(engine, kernel.logits,
           [=, first_column = kernel.first_column](std::int64_t r, std::int64_t at) {
             const W factor = scale / sums[2 * r];
             const auto probability = [=](std::int64_t v) {
               return factor * exponential(logits[at + v] - maximum[r]);
             };
             const std::int64_t target = targets[r] - first_column;
             const bool here = target >= 0 && target < columns;
             // Computed before its row is overwritten, which may be the row of logits.
             const W at_target = here ? probability(target) - scale : W{0};
#pragma omp simd
             for (std::int64_t v = 0; v < columns; ++v)
               d_logits[at + v] = static_cast<T>(probability(v));
             if (here) d_logits[at + target] = static_cast<T>(at_target);
           });
}

}  // namespace

void run(const RowMax& kernel, CpuEngine& engine) {
  with_float_type(wide(kernel.logits.dtype),
                  [&](auto type) { run_typed<Wide<decltype(type)>>(kernel, engine); });
}

void run(const SoftmaxSums& kernel, CpuEngine& engine) {
  with_float_type(wide(kernel.logits.dtype),
                  [&](auto type) { run_typed<Wide<decltype(type)>>(kernel, engine); });
}

void run(const CrossEntropyLoss& kernel, CpuEngine&) {
  with_float_type(wide(kernel.sums.dtype),
                  [&](auto type) { run_typed<Wide<decltype(type)>>(kernel); });
}

void run(const CrossEntropyBackward& kernel, CpuEngine& engine) {
  with_float_type(kernel.d_logits.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
