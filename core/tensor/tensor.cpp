#include "core/tensor/tensor.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"

namespace fourfold {

std::string_view name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::parameters: return "parameters";
    case MemoryKind::gradients: return "gradients";
    case MemoryKind::optimizer_state: return "optimizer_state";
    case MemoryKind::activations: return "activations";
    case MemoryKind::gathered_weights: return "gathered_weights";
    case MemoryKind::workspace: return "workspace";
  }
  return "?";
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

Tensor reshaped(const Tensor& tensor, Shape shape) {
  if (element_count(shape) != tensor.elements()) {
    throw ShapeError(fmt::format("cannot view a tensor of shape {} as {}", to_string(tensor.shape), to_string(shape)));
  }
  Tensor view = tensor;
  view.shape = std::move(shape);
  return view;
}

Tensor flat_slice(const Tensor& tensor, std::int64_t begin, std::int64_t count) {
  if (begin < 0 || count < 0 || begin + count > tensor.elements()) {
    throw ShapeError(fmt::format("slice [{}, {}) is outside a tensor of {} elements", begin, begin + count, tensor.elements()));
  }
  Tensor view = tensor;
  view.shape = {count};
  view.offset += begin;
  return view;
}

}  // namespace fourfold
