#include "real/reference/array.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/reference/bfloat16.hpp"

namespace fourfold::real {
namespace {

void check_elements(const Tensor& tensor, std::int64_t elements, const char* what) {
  if (!tensor.defined()) throw ShapeError(fmt::format("{} is not defined", what));
  if (tensor.elements() == elements) return;
  throw ShapeError(fmt::format("{} has shape {}, which is {} elements instead of {}", what,
                               to_string(tensor.shape), tensor.elements(), elements));
}

}  // namespace

Array load(const Tensor& tensor, const Shape& shape, const char* what) {
  check_elements(tensor, element_count(shape), what);
  Array array(shape);
  const auto copy_from = [&](const auto* source) {
    std::copy_n(source, tensor.elements(), array.values().begin());
  };
  switch (tensor.dtype) {
    case DType::float64:
      copy_from(tensor.data<double>());
      break;
    case DType::float32:
      copy_from(tensor.data<float>());
      break;
    case DType::int32:
      copy_from(tensor.data<std::int32_t>());
      break;
    case DType::bfloat16:
      std::transform(tensor.data<BFloat16>(), tensor.data<BFloat16>() + tensor.elements(),
                     array.values().begin(),
                     [](BFloat16 value) { return static_cast<float>(value); });
      break;
  }
  return array;
}

Array load_flat(const Tensor& tensor) {
  return load(tensor, {tensor.elements()}, "tensor");
}

void store(const Array& array, const Tensor& tensor, const char* what) {
  check_elements(tensor, static_cast<std::int64_t>(array.values().size()), what);
  const auto convert_to = [&](auto* target, auto round) {
    std::transform(array.values().begin(), array.values().end(), target, round);
  };
  switch (tensor.dtype) {
    case DType::float64:
      convert_to(tensor.data<double>(), [](double value) { return value; });
      break;
    case DType::float32:
      convert_to(tensor.data<float>(), [](double value) { return static_cast<float>(value); });
      break;
    case DType::int32:
      convert_to(tensor.data<std::int32_t>(),
                 [](double value) { return static_cast<std::int32_t>(value); });
      break;
    case DType::bfloat16:
      convert_to(tensor.data<BFloat16>(),
                 [](double value) { return BFloat16(static_cast<float>(value)); });
      break;
  }
}

std::int64_t columns_of(const Tensor& tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape.back();
}

std::int64_t rows_of(const Tensor& tensor) {
  const std::int64_t columns = columns_of(tensor);
  return columns == 0 ? 0 : tensor.elements() / columns;
}

}  // namespace fourfold::real
