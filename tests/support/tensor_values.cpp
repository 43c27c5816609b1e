#include "tests/support/tensor_values.hpp"

#include <span>
#include <utility>

#include "real/base/bfloat16.hpp"

namespace fourfold::test {
namespace {

template <typename T>
void upload_as(Device& device, const Tensor& tensor, const std::vector<double>& values,
               Stream stream) {
  std::vector<T> typed;
  for (double value : values) typed.push_back(static_cast<T>(value));
  device.upload(stream, std::as_bytes(std::span(typed)), tensor);
}

template <typename T>
std::vector<double> download_as(Device& device, const Tensor& tensor, Stream stream) {
  std::vector<T> typed(static_cast<std::size_t>(tensor.elements()));
  device.download(stream, tensor, std::as_writable_bytes(std::span(typed)));
  std::vector<double> values;
  for (T value : typed) values.push_back(static_cast<double>(value));
  return values;
}

}  // namespace

void upload_values(Device& device, const Tensor& tensor, const std::vector<double>& values,
                   Stream stream) {
  switch (tensor.dtype) {
    case DType::float64:
      return upload_as<double>(device, tensor, values, stream);
    case DType::float32:
      return upload_as<float>(device, tensor, values, stream);
    case DType::int32:
      return upload_as<std::int32_t>(device, tensor, values, stream);
    case DType::bfloat16:
      return upload_as<real::BFloat16>(device, tensor, values, stream);
  }
}

std::vector<double> download_values(Device& device, const Tensor& tensor, Stream stream) {
  switch (tensor.dtype) {
    case DType::float64:
      return download_as<double>(device, tensor, stream);
    case DType::float32:
      return download_as<float>(device, tensor, stream);
    case DType::int32:
      return download_as<std::int32_t>(device, tensor, stream);
    case DType::bfloat16:
      return download_as<real::BFloat16>(device, tensor, stream);
  }
  return {};
}

Tensor tensor_of(Device& device, Shape shape, DType dtype, const std::vector<double>& values) {
  Tensor tensor = device.allocate(std::move(shape), dtype, MemoryKind::workspace);
  upload_values(device, tensor, values);
  return tensor;
}

}  // namespace fourfold::test
