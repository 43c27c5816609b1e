// x_hat = (x - mean) / sqrt(variance + epsilon), y = x_hat gain + bias, over `columns` columns of the full row, of which
// this rank has C; moments are the sums over the full row.

#include <cmath>

#include "real/cpu/column_accumulator.hpp"
#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {
namespace {

constexpr std::int64_t kGrain = 16384;  ///< elements that are worth a thread

std::int64_t row_grain(const Tensor& matrix) {
  return kGrain / columns_of(matrix) + 1;
}

/// Mean and 1 / sqrt(variance + epsilon) of a row from its sum and sum of squares.
template <typename W>
struct RowStatistics {
  RowStatistics(const W* moments, std::int64_t columns, double epsilon) {
    const W count = static_cast<W>(columns);
    mean = moments[0] / count;
    inverse_deviation = 1 / std::sqrt(moments[1] / count - mean * mean + static_cast<W>(epsilon));
  }
  W normalised(W value) const { return (value - mean) * inverse_deviation; }

  W mean, inverse_deviation;
};

template <typename T>
void run_typed(const RowMoments& kernel, CpuEngine& engine) {
  const std::int64_t columns = columns_of(kernel.input);
  const T* input = elements_of<T>(kernel.input, kernel.input.elements(), "input");
  Wide<T>* moments = elements_of<Wide<T>>(kernel.moments, 2 * rows_of(kernel.input), "moments");
  engine.threads.for_ranges(rows_of(kernel.input), row_grain(kernel.input),
                            [&](std::int64_t begin, std::int64_t end, int) {
                              for (std::int64_t r = begin; r < end; ++r) {
                                const T* row = input + r * columns;
                                Wide<T> sum = 0;
                                Wide<T> squares = 0;
#pragma omp simd reduction(+ : sum, squares)
                                for (std::int64_t c = 0; c < columns; ++c) {
                                  const Wide<T> value = widen(row[c]);
                                  sum += value;
                                  squares += value * value;
                                }
                                moments[2 * r] = sum;
                                moments[2 * r + 1] = squares;
                              }
                            });
}

template <typename T>
void run_typed(const LayerNormForward& kernel, CpuEngine& engine) {
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t columns = columns_of(kernel.input);
  const T* input = elements_of<T>(kernel.input, rows * columns, "input");
  const Wide<T>* moments = elements_of<Wide<T>>(kernel.moments, 2 * rows, "moments");
  const T* gain = elements_of<T>(kernel.gain, columns, "gain");
  const T* bias = elements_of<T>(kernel.bias, columns, "bias");
  T* output = elements_of<T>(kernel.output, rows * columns, "output");
  engine.threads.for_ranges(
      rows, row_grain(kernel.input), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t r = begin; r < end; ++r) {
          const RowStatistics<Wide<T>> statistics(moments + 2 * r, kernel.columns, kernel.epsilon);
          const T* row = input + r * columns;
          T* out = output + r * columns;
#pragma omp simd
          for (std::int64_t c = 0; c < columns; ++c) {
            out[c] = static_cast<T>(statistics.normalised(widen(row[c])) * widen(gain[c]) +
                                    widen(bias[c]));
          }
        }
      });
}

/// What both kernels of the backward pass read.
template <typename T>
struct BackwardOperands {
  template <typename BackwardKernel>
  explicit BackwardOperands(const BackwardKernel& kernel)
      : rows(rows_of(kernel.input)),
        columns(columns_of(kernel.input)),
        input(elements_of<T>(kernel.input, rows * columns, "input")),
        d_output(elements_of<T>(kernel.d_output, rows * columns, "d_output")),
        moments(elements_of<Wide<T>>(kernel.moments, 2 * rows, "moments")),
        gain(elements_of<T>(kernel.gain, columns, "gain")),
        row_sums(elements_of<Wide<T>>(kernel.row_sums, 2 * rows, "row_sums")) {}

  std::int64_t rows, columns;
  const T *input, *d_output;
  const Wide<T>* moments;
  const T* gain;
  Wide<T>* row_sums;  ///< written by the first of the two
};

template <typename T>
void run_typed(const LayerNormBackwardSums& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const BackwardOperands<T> in(kernel);
  W* d_gain = elements_of<W>(kernel.d_gain, in.columns, "d_gain");
  W* d_bias = elements_of<W>(kernel.d_bias, in.columns, "d_bias");
  const ColumnAccumulator<W> gain_sums(engine, in.columns);
  const ColumnAccumulator<W> bias_sums(engine, in.columns);
  engine.threads.for_ranges(
      in.rows, row_grain(kernel.input), [&](std::int64_t begin, std::int64_t end, int thread) {
        W* gain_sum = gain_sums.of(thread);
        W* bias_sum = bias_sums.of(thread);
        for (std::int64_t r = begin; r < end; ++r) {
          const RowStatistics<W> statistics(in.moments + 2 * r, kernel.columns, kernel.epsilon);
          const T* row = in.input + r * in.columns;
          const T* d_row = in.d_output + r * in.columns;
          W plain = 0;
          W weighted = 0;
#pragma omp simd reduction(+ : plain, weighted)
          for (std::int64_t c = 0; c < in.columns; ++c) {
            const W normalised = statistics.normalised(widen(row[c]));
            const W d = widen(d_row[c]);
            gain_sum[c] += d * normalised;
            bias_sum[c] += d;
            plain += d * widen(in.gain[c]);
            weighted += d * widen(in.gain[c]) * normalised;
          }
          in.row_sums[2 * r] = plain;
          in.row_sums[2 * r + 1] = weighted;
        }
      });
  gain_sums.add_to(d_gain);
  bias_sums.add_to(d_bias);
}

template <typename T>
void run_typed(const LayerNormBackward& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const BackwardOperands<T> in(kernel);
  const T* residual = kernel.residual.defined()
                          ? elements_of<T>(kernel.residual, in.rows * in.columns, "residual")
                          : nullptr;
  T* d_input = elements_of<T>(kernel.d_input, in.rows * in.columns, "d_input");
  const W count = static_cast<W>(kernel.columns);
  engine.threads.for_ranges(
      in.rows, row_grain(kernel.input), [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t r = begin; r < end; ++r) {
          const RowStatistics<W> statistics(in.moments + 2 * r, kernel.columns, kernel.epsilon);
          const W mean = in.row_sums[2 * r] / count;
          const W slope = in.row_sums[2 * r + 1] / count;
          const auto gradient = [&](std::int64_t at, std::int64_t c) {
            return (widen(in.d_output[at]) * widen(in.gain[c]) - mean -
                    statistics.normalised(widen(in.input[at])) * slope) *
                   statistics.inverse_deviation;
          };
          const std::int64_t first = r * in.columns;
          if (residual == nullptr) {
#pragma omp simd
            for (std::int64_t c = 0; c < in.columns; ++c)
              d_input[first + c] = static_cast<T>(gradient(first + c, c));
          } else {
#pragma omp simd
            for (std::int64_t c = 0; c < in.columns; ++c) {
              d_input[first + c] =
                  static_cast<T>(gradient(first + c, c) + widen(residual[first + c]));
            }
          }
        }
      });
}

}  // namespace

void run(const RowMoments& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const LayerNormForward& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const LayerNormBackwardSums& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const LayerNormBackward& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
