#pragma once
// Kernels with operands of random contents, for comparing two backends.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/device.hpp"
#include "core/base/counter_random.hpp"
#include "tests/support/tensor_values.hpp"

namespace fourfold::test {

/// Makes operands with random contents: the same ones on every device.
class Operands {
 public:
  Operands(Device& device, DType dtype) : device_(device), dtype_(dtype) {}

  /// Normally distributed numbers in the training type, in the wide type, positive ones in the wide type.
  Tensor normal(Shape shape) {
    return filled(std::move(shape), dtype_, [](double x) { return x; });
  }
  Tensor wide(Shape shape) {
    return filled(std::move(shape), fourfold::wide(dtype_), [](double x) { return x; });
  }
  Tensor positive(Shape shape) {
    return filled(std::move(shape), fourfold::wide(dtype_), [](double x) { return 0.1 + x * x; });
  }
  /// Probabilities of causal attention, (.., s, s): zero where a query would look ahead.
  Tensor causal(Shape shape) {
    const std::int64_t s = shape.back();
    return filled(std::move(shape), dtype_, [=, i = std::int64_t{0}](double x) mutable {
      const std::int64_t element = i++ % (s * s);
      return element % s > element / s ? 0.0 : x;
    });
  }
  /// Integers in [0, bound).
  Tensor tokens(std::int64_t count, std::int64_t bound) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<double>(random_bits(5, static_cast<std::uint64_t>(i)) %
                                           static_cast<std::uint64_t>(bound)));
    }
    return tensor_of(device_, {count}, DType::int32, values);
  }

 private:
  template <typename Map>
  Tensor filled(Shape shape, DType dtype, Map map) {
    const std::uint64_t key = random_key(17, std::to_string(next_operand_++));
    std::vector<double> values;
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      values.push_back(map(random_normal(key, static_cast<std::uint64_t>(i))));
    }
    return tensor_of(device_, std::move(shape), dtype, values);
  }

  Device& device_;
  DType dtype_;
  int next_operand_ = 0;
};

struct KernelCase {
  std::string name;
  std::function<Kernel(Operands&)> build;
};

/// Every kind of kernel, in its variants.
std::vector<KernelCase> all_kernel_cases();

}  // namespace fourfold::test
