#pragma once
// A file seen as memory: pages are read when they are touched, and shared by all processes of a node.

#include <cstddef>
#include <filesystem>
#include <span>

namespace fourfold::real {

class MappedFile {
 public:
  /// Throws ConfigError unless `path` is a readable regular file.
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace fourfold::real
