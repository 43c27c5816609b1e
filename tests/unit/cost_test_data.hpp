#pragma once
// For the tests of the cost models: the GPU and library files that are shipped, and tensors without
// data.

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/gpu_spec.hpp"
#include "core/cost/library_constants.hpp"
#include "core/tensor/tensor.hpp"

namespace fourfold {

inline std::filesystem::path platforms() {
  return std::filesystem::path(FOURFOLD_SOURCE_DIR) / "platforms";
}

inline GpuSpec shipped_gpu(const std::string& name) {
  return read_gpu_spec(platforms() / "gpus" / (name + ".json"));
}

inline std::vector<std::string> shipped_gpus() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(platforms() / "gpus")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  return names;
}

inline LibraryConstants shipped_library(const std::string& name) {
  return read_library_constants(platforms() / "libraries" / (name + ".json"));
}

inline Tensor tensor_of(Shape shape, DType dtype) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.dtype = dtype;
  tensor.storage = std::make_shared<Storage>(0, tensor.bytes(), MemoryKind::activations);
  return tensor;
}

}  // namespace fourfold
