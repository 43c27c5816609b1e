#include <cmath>

#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {
namespace {

/// Mean and 1 / sqrt(variance + epsilon) of every row from its sum and sum of squares.
struct RowStatistics {
  template <typename LayerNormKernel>
  explicit RowStatistics(const LayerNormKernel& kernel)
      : moments(load(kernel.moments, {rows_of(kernel.input), 2}, "moments")),
        columns(static_cast<double>(kernel.columns)),
        epsilon(kernel.epsilon) {}

  double mean(std::int64_t row) const { return moments(row, 0) / columns; }
  double inverse_deviation(std::int64_t row) const {
    const double variance = moments(row, 1) / columns - mean(row) * mean(row);
    return 1.0 / std::sqrt(variance + epsilon);
  }
  double normalised(double value, std::int64_t row) const {
    return (value - mean(row)) * inverse_deviation(row);
  }

  Array moments;
  double columns;
  double epsilon;
};

}  // namespace

void run(const RowMoments& kernel) {
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t columns = columns_of(kernel.input);
  const Array input = load(kernel.input, {rows, columns}, "input");
  Array moments({rows, 2});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      moments(r, 0) += input(r, c);
      moments(r, 1) += input(r, c) * input(r, c);
    }
  }
  store(moments, kernel.moments, "moments");
}

void run(const LayerNormForward& kernel) {
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t columns = columns_of(kernel.input);
  const Array input = load(kernel.input, {rows, columns}, "input");
  const Array gain = load(kernel.gain, {columns}, "gain");
  const Array bias = load(kernel.bias, {columns}, "bias");
  const RowStatistics statistics(kernel);
  Array output({rows, columns});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      output(r, c) = statistics.normalised(input(r, c), r) * gain(c) + bias(c);
    }
  }
  store(output, kernel.output, "output");
}

void run(const LayerNormBackwardSums& kernel) {
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t columns = columns_of(kernel.input);
  const Array input = load(kernel.input, {rows, columns}, "input");
  const Array d_output = load(kernel.d_output, {rows, columns}, "d_output");
  const Array gain = load(kernel.gain, {columns}, "gain");
  const RowStatistics statistics(kernel);
  Array row_sums({rows, 2});
  Array d_gain = load(kernel.d_gain, {columns}, "d_gain");
  Array d_bias = load(kernel.d_bias, {columns}, "d_bias");
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const double normalised = statistics.normalised(input(r, c), r);
      row_sums(r, 0) += d_output(r, c) * gain(c);
      row_sums(r, 1) += d_output(r, c) * gain(c) * normalised;
      d_gain(c) += d_output(r, c) * normalised;
      d_bias(c) += d_output(r, c);
    }
  }
  store(row_sums, kernel.row_sums, "row_sums");
  store(d_gain, kernel.d_gain, "d_gain");
  store(d_bias, kernel.d_bias, "d_bias");
}

void run(const LayerNormBackward& kernel) {
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t columns = columns_of(kernel.input);
  const Array input = load(kernel.input, {rows, columns}, "input");
  const Array d_output = load(kernel.d_output, {rows, columns}, "d_output");
  const Array gain = load(kernel.gain, {columns}, "gain");
  const Array row_sums = load(kernel.row_sums, {rows, 2}, "row_sums");
  const RowStatistics statistics(kernel);
  Array d_input = kernel.residual.defined() ? load(kernel.residual, {rows, columns}, "residual")
                                            : Array({rows, columns});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const double mean_term = row_sums(r, 0) / statistics.columns;
      const double slope_term =
          statistics.normalised(input(r, c), r) * row_sums(r, 1) / statistics.columns;
      d_input(r, c) +=
          (d_output(r, c) * gain(c) - mean_term - slope_term) * statistics.inverse_deviation(r);
    }
  }
  store(d_input, kernel.d_input, "d_input");
}

}  // namespace fourfold::real
