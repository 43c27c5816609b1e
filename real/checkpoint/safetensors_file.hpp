#pragma once
// Reads a safetensors file, by whomever it was written.

#include <map>
#include <string>
#include <vector>

#include "core/tensor/tensor.hpp"
#include "real/data/mapped_file.hpp"

namespace fourfold::real {

class SafetensorsFile {
 public:
  struct Entry {
    std::string dtype;  ///< "F32", "BF16", ...
    Shape shape;
    std::span<const std::byte> bytes;  ///< valid as long as the file object

    std::int64_t elements() const { return element_count(shape); }
  };

  /// Checks the header completely: well-formed, every tensor of the size its type and shape ask for, the tensors
  /// covering the file without gap or overlap. Throws ConfigError with the reason.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const std::map<std::string, Entry>& entries() const { return entries_; }
  bool has(const std::string& name) const { return entries_.count(name) > 0; }
  /// Throws ConfigError naming the nearest tensor of the file.
  const Entry& at(const std::string& name) const;
  std::span<const std::byte> file_bytes() const { return file_.bytes(); }

 private:
  void read_header();
  void check_coverage(std::span<const std::byte> data) const;
  [[noreturn]] void fail(std::string_view problem) const;

  MappedFile file_;
  std::map<std::string, Entry> entries_;
};

/// Elements of a floating-point tensor as doubles, exactly: F64, F32, F16, BF16. Throws ConfigError for other types.
std::vector<double> to_doubles(const SafetensorsFile::Entry& entry, std::int64_t begin,
                               std::int64_t count);

}  // namespace fourfold::real
