#pragma once
// Numbers into and out of tensors of any type, through the contract only.

#include <vector>

#include "core/backend/rank_context.hpp"

namespace fourfold::test {

/// Rounds `values` to the tensor's type and uploads them on `stream`.
void upload_values(Device& device, const Tensor& tensor, const std::vector<double>& values,
                   Stream stream = Stream::compute);

/// Waits for `stream` and reads all elements. On backends without data these are zeros.
std::vector<double> download_values(Device& device, const Tensor& tensor,
                                    Stream stream = Stream::compute);

/// A fresh tensor holding `values`.
Tensor tensor_of(Device& device, Shape shape, DType dtype, const std::vector<double>& values);

}  // namespace fourfold::test
