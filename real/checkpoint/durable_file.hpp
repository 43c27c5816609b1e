#pragma once
// A new file that is on the disk, not only in the system's cache, when it is finished.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/units.hpp"

namespace fourfold::real {

/// CRC-32 as in zlib, gzip and Python's zlib.crc32.
std::uint32_t crc32_of(std::span<const std::byte> bytes);

struct FileSummary {
  Bytes bytes = 0;
  std::uint32_t crc32 = 0;
};

class DurableFile {
 public:
  /// Creates the file. All members throw Error with the system's reason (disk full, permission).
  explicit DurableFile(std::filesystem::path path);
  /// Closes the file; what was not finished may be lost.
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Flushes everything to the disk.
  FileSummary finish();

 private:
  std::filesystem::path path_;
  int descriptor_;
  FileSummary summary_;
};

/// Makes the names in a folder durable, after files were created or renamed in it.
void sync_directory(const std::filesystem::path& directory);

}  // namespace fourfold::real
