#include "real/cpu/operands.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real::cpu {

void check_operand(const Tensor& tensor, DType dtype, std::int64_t elements, const char* what) {
  if (!tensor.defined()) throw ShapeError(fmt::format("{} is not defined", what));
  if (tensor.elements() != elements) {
    throw ShapeError(fmt::format("{} has shape {}, which is {} elements instead of {}", what,
                                 to_string(tensor.shape), tensor.elements(), elements));
  }
  if (tensor.dtype != dtype) {
    throw ShapeError(
        fmt::format("{} is {} where {} is needed", what, name_of(tensor.dtype), name_of(dtype)));
  }
}

void throw_not_floating_point(DType dtype) {
  throw ShapeError(
      fmt::format("an operand is {} where floating-point numbers are needed", name_of(dtype)));
}

}  // namespace fourfold::real::cpu
