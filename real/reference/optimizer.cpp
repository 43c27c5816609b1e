#include <algorithm>
#include <cmath>

#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {
namespace {

/// min(1, clip_norm / norm of all gradients); 1 when clipping is off.
double clip_factor(const AdamW& kernel) {
  if (kernel.clip_norm == 0) return 1.0;
  const double squared_norm = load(kernel.squared_norm, {1}, "squared_norm")(0);
  return std::min(1.0, kernel.clip_norm / std::sqrt(squared_norm));
}

}  // namespace

void run(const SumOfSquares& kernel) {
  Array output = load(kernel.output, {1}, "output");
  const Array input = load_flat(kernel.input);
  for (double value : input.values()) output(0) += kernel.weight * value * value;
  store(output, kernel.output, "output");
}

void run(const AdamW& kernel) {
  const Extents shape = {kernel.master.elements()};
  const Array gradient = load(kernel.gradient, shape, "gradient");
  Array master = load(kernel.master, shape, "master");
  Array m = load(kernel.first_moment, shape, "first_moment");
  Array v = load(kernel.second_moment, shape, "second_moment");
  const double clip = clip_factor(kernel);
  const double correction1 = 1.0 - std::pow(kernel.beta1, static_cast<double>(kernel.step));
  const double correction2 = 1.0 - std::pow(kernel.beta2, static_cast<double>(kernel.step));
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    const double g = clip * gradient(i);
    m(i) = kernel.beta1 * m(i) + (1.0 - kernel.beta1) * g;
    v(i) = kernel.beta2 * v(i) + (1.0 - kernel.beta2) * g * g;
    const double update = (m(i) / correction1) / (std::sqrt(v(i) / correction2) + kernel.epsilon);
    master(i) -= kernel.learning_rate * (update + kernel.weight_decay * master(i));
  }
  store(m, kernel.first_moment, "first_moment");
  store(v, kernel.second_moment, "second_moment");
  store(master, kernel.master, "master");
  store(load_flat(kernel.master), kernel.parameter, "parameter");
}

}  // namespace fourfold::real
