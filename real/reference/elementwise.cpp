#include <cmath>
#include <numbers>

#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {
namespace {

// gelu(u) = u/2 (1 + tanh(t)) with t = sqrt(2/pi) (u + a u^3) (Hendrycks & Gimpel 2016).
const double kSlope = std::sqrt(2.0 / std::numbers::pi);
constexpr double kCubic = 0.044715;

double gelu(double u) {
  return 0.5 * u * (1.0 + std::tanh(kSlope * (u + kCubic * u * u * u)));
}

double gelu_derivative(double u) {
  const double tanh = std::tanh(kSlope * (u + kCubic * u * u * u));
  return 0.5 * (1.0 + tanh) + 0.5 * u * (1.0 - tanh * tanh) * kSlope * (1.0 + 3.0 * kCubic * u * u);
}

/// input (R, C) + bias (C).
Array biased(const Tensor& input, const Tensor& bias) {
  const std::int64_t rows = rows_of(input);
  const std::int64_t columns = columns_of(input);
  Array sum = load(input, {rows, columns}, "input");
  const Array bias_row = load(bias, {columns}, "bias");
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) sum(r, c) += bias_row(c);
  }
  return sum;
}

void add(const Array& term, Array& sum) {
  for (std::size_t i = 0; i < sum.values().size(); ++i) sum.values()[i] += term.values()[i];
}

/// Multiplies matrix (R, C) by the mask.
void drop(const DropoutMask& mask, Array& matrix) {
  for (std::int64_t r = 0; r < matrix.size(0); ++r) {
    for (std::int64_t c = 0; c < matrix.size(1); ++c) matrix(r, c) *= mask.factor(r, c);
  }
}

}  // namespace

void run(const AddBias& kernel) {
  store(biased(kernel.input, kernel.bias), kernel.output, "output");
}

void run(const BiasGelu& kernel) {
  Array result = biased(kernel.input, kernel.bias);
  for (double& value : result.values()) value = gelu(value);
  store(result, kernel.output, "output");
}

void run(const BiasGeluBackward& kernel) {
  Array result = biased(kernel.input, kernel.bias);
  const Array d_output = load(kernel.d_output, {kernel.input.elements()}, "d_output");
  for (std::size_t i = 0; i < result.values().size(); ++i) {
    result.values()[i] = d_output.values()[i] * gelu_derivative(result.values()[i]);
  }
  store(result, kernel.d_input, "d_input");
}

void run(const BiasResidual& kernel) {
  Array result = biased(kernel.input, kernel.bias);
  drop(kernel.dropout, result);
  add(load(kernel.residual, {kernel.input.elements()}, "residual"), result);
  store(result, kernel.output, "output");
}

void run(const Dropout& kernel) {
  Array result = load(kernel.input, {rows_of(kernel.input), columns_of(kernel.input)}, "input");
  drop(kernel.mask, result);
  store(result, kernel.output, "output");
}

void run(const ColumnSum& kernel) {
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t columns = columns_of(kernel.input);
  const Array input = load(kernel.input, {rows, columns}, "input");
  Array output = load(kernel.output, {columns}, "output");
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) output(c) += input(r, c);
  }
  store(output, kernel.output, "output");
}

void run(const Fill& kernel) {
  Array output({kernel.output.elements()});
  for (double& value : output.values()) value = kernel.value;
  store(output, kernel.output, "output");
}

void run(const Cast& kernel) {
  store(load_flat(kernel.input), kernel.output, "output");
}

void run(const Accumulate& kernel) {
  Array sum = load_flat(kernel.output);
  add(load(kernel.input, {kernel.output.elements()}, "input"), sum);
  store(sum, kernel.output, "output");
}

}  // namespace fourfold::real
