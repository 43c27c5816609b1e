#pragma once
// Writes a safetensors file (format: github.com/huggingface/safetensors): the length of the header as a little-endian
// uint64, a JSON header with type, shape and place of every tensor, then the tensors' bytes without gaps.

#include <map>
#include <string>
#include <vector>

#include "core/tensor/tensor.hpp"
#include "real/checkpoint/durable_file.hpp"

namespace fourfold::real {

/// safetensors' name of a type: "F64", "F32", "BF16", "I32".
std::string safetensors_name(DType dtype);

class SafetensorsWriter {
 public:
  struct Entry {
    std::string name;
    DType dtype;
    Shape shape;
  };

  /// Writes the header. The tensors' bytes follow by `write`, in the order of `entries`. Throws Error.
  SafetensorsWriter(const std::filesystem::path& path, const std::vector<Entry>& entries,
                    const std::map<std::string, std::string>& metadata);

  /// All bytes of the next tensor.
  void write(std::span<const std::byte> bytes) { file_.write(bytes); }
  FileSummary finish() { return file_.finish(); }

 private:
  DurableFile file_;
};

}  // namespace fourfold::real
