#pragma once
// A result file: checked before the work begins, written whole or not at all.

#include <filesystem>
#include <string>
#include <string_view>

namespace fourfold::sim {

class OutputFile {
 public:
  /// `path` "-" is standard output. Throws ConfigError naming `flag` when the file could not be
  /// written.
  OutputFile(std::string_view flag, const std::string& path);

  /// Writes to a temporary file beside the target and renames it, so that a reader never sees half
  /// a file and a crash leaves the previous one whole. Devices and pipes are written to directly.
  /// Throws Error.
  void write(std::string_view content) const;

  bool is_standard_output() const { return path_ == "-"; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fourfold::sim
