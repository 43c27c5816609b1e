#include "real/reference/array.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/base/bfloat16.hpp"

namespace fourfold::real {
namespace {

void check_elements(const Tensor& tensor, std::int64_t elements, const char* what) {
  if (!tensor.defined()) throw ShapeError(fmt::format("{} is not defined", what));
  if (tensor.elements() == elements) return;
  throw ShapeError(fmt::format("{} has shape {}, which is {} elements instead of {}", what,
                               to_string(tensor.shape), tensor.elements(), elements));
}

template <typename T>
void load_as(const Tensor& tensor, Array& array) {
  std::transform(tensor.data<T>(), tensor.data<T>() + tensor.elements(), array.values().begin(),
                 [](T value) { return static_cast<double>(value); });
}

template <typename T>
void store_as(const Array& array, const Tensor& tensor) {
  std::transform(array.values().begin(), array.values().end(), tensor.data<T>(),
                 [](double value) { return static_cast<T>(value); });
}

}  // namespace

Array load(const Tensor& tensor, const Extents& extents, const char* what) {
  check_elements(tensor, extents.elements(), what);
  Array array(extents);
  switch (tensor.dtype) {
    case DType::float64:
      load_as<double>(tensor, array);
      break;
    case DType::float32:
      load_as<float>(tensor, array);
      break;
    case DType::int32:
      load_as<std::int32_t>(tensor, array);
      break;
    case DType::bfloat16:
      load_as<BFloat16>(tensor, array);
      break;
  }
  return array;
}

Array load_flat(const Tensor& tensor) {
  return load(tensor, {tensor.elements()}, "tensor");
}

void store(const Array& array, const Tensor& tensor, const char* what) {
  check_elements(tensor, static_cast<std::int64_t>(array.values().size()), what);
  switch (tensor.dtype) {
    case DType::float64:
      return store_as<double>(array, tensor);
    case DType::float32:
      return store_as<float>(array, tensor);
    case DType::int32:
      return store_as<std::int32_t>(array, tensor);
    case DType::bfloat16:
      return store_as<BFloat16>(array, tensor);
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
