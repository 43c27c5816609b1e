#include <algorithm>
#include <cmath>
#include <vector>

#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {
namespace {

constexpr std::int64_t kGrain = 16384;  ///< elements that are worth a thread

/// Sums of up to 1024 squares in the wide type, so that vectors of them can be used, added up in double.
template <typename T>
double sum_of_squares(const T* values, std::int64_t count) {
  constexpr std::int64_t kRun = 1024;
  double total = 0;
  for (std::int64_t begin = 0; begin < count; begin += kRun) {
    const std::int64_t end = std::min(begin + kRun, count);
    Wide<T> sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = begin; i < end; ++i) sum += widen(values[i]) * widen(values[i]);
    total += sum;
  }
  return total;
}

template <typename T>
void run_typed(const SumOfSquares& kernel, CpuEngine& engine) {
  const std::int64_t count = kernel.input.elements();
  const T* input = elements_of<T>(kernel.input, count, "input");
  Wide<T>* output = elements_of<Wide<T>>(kernel.output, 1, "output");
  std::vector<double> sums(static_cast<std::size_t>(engine.threads.threads()), 0.0);
  engine.threads.for_ranges(count, kGrain, [&](std::int64_t begin, std::int64_t end, int thread) {
    sums[static_cast<std::size_t>(thread)] = sum_of_squares(input + begin, end - begin);
  });
  double total = 0;
  for (double sum : sums) total += sum;
  *output = static_cast<Wide<T>>(*output + kernel.weight * total);
}

/// min(1, clip_norm / norm of all gradients); 1 when clipping is off.
template <typename W>
double clip_factor(const AdamW& kernel) {
  if (kernel.clip_norm == 0) return 1.0;
  const double squared_norm = *elements_of<W>(kernel.squared_norm, 1, "squared_norm");
  return std::min(1.0, kernel.clip_norm / std::sqrt(squared_norm));
}

/// Everything of a step that is the same for all elements.
template <typename W>
struct AdamWFactors {
  explicit AdamWFactors(const AdamW& kernel)
      : clip(static_cast<W>(clip_factor<W>(kernel))),
        beta1(static_cast<W>(kernel.beta1)),
        beta2(static_cast<W>(kernel.beta2)),
        keep1(static_cast<W>(1.0 - kernel.beta1)),
        keep2(static_cast<W>(1.0 - kernel.beta2)),
        correction1(
            static_cast<W>(1.0 / (1.0 - std::pow(kernel.beta1, static_cast<double>(kernel.step))))),
        correction2(
            static_cast<W>(1.0 / (1.0 - std::pow(kernel.beta2, static_cast<double>(kernel.step))))),
        epsilon(static_cast<W>(kernel.epsilon)),
        rate(static_cast<W>(kernel.learning_rate)),
        decay(static_cast<W>(kernel.learning_rate * kernel.weight_decay)) {}

  W clip, beta1, beta2, keep1, keep2, correction1, correction2, epsilon, rate, decay;
};

template <typename T>
void run_typed(const AdamW& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const std::int64_t count = kernel.master.elements();
  const W* gradient = elements_of<W>(kernel.gradient, count, "gradient");
  W* master = elements_of<W>(kernel.master, count, "master");
  W* first = elements_of<W>(kernel.first_moment, count, "first_moment");
  W* second = elements_of<W>(kernel.second_moment, count, "second_moment");
  T* parameter = elements_of<T>(kernel.parameter, count, "parameter");
  const AdamWFactors<W> f(kernel);
  engine.threads.for_ranges(count, kGrain, [=](std::int64_t begin, std::int64_t end, int) {
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) {
      const W g = f.clip * gradient[i];
      first[i] = f.beta1 * first[i] + f.keep1 * g;
      second[i] = f.beta2 * second[i] + f.keep2 * g * g;
      const W update =
          first[i] * f.correction1 / (std::sqrt(second[i] * f.correction2) + f.epsilon);
      const W value = master[i] - f.rate * update - f.decay * master[i];
      master[i] = value;
      parameter[i] = static_cast<T>(value);
    }
  });
}

}  // namespace

void run(const SumOfSquares& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const AdamW& kernel, CpuEngine& engine) {
  with_float_type(kernel.parameter.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
