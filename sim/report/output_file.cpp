#include "sim/report/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.hpp"

namespace fourfold::sim {
namespace {

namespace fs = std::filesystem;

fs::path temporary_name(const fs::path& path) {
  return fs::path(path).concat(fmt::format(".{}.partial", ::getpid()));
}

/// The file or the directory that has to be writable for `path` to be written.
void check_writable(std::string_view flag, const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw ConfigError(fmt::format("--{} {}: is a directory; give a file name, such as {}", flag,
                                  path.string(), (path / "result").string()));
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    throw ConfigError(fmt::format("--{} {}: directory {} does not exist; create it first", flag,
                                  path.string(), folder.string()));
  }
  if (fs::exists(path, ignored) && ::access(path.c_str(), W_OK) != 0) {
    throw ConfigError(fmt::format("--{} {}: cannot be written ({}); choose another file", flag,
                                  path.string(), std::strerror(errno)));
  }
}

/// Permissions do not tell everything (full or read-only file systems, /proc): try.
void try_temporary_file(std::string_view flag, const fs::path& path) {
  const fs::path temporary = temporary_name(path);
  const bool created = std::ofstream(temporary).good();
  const int reason = errno;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  if (!created) {
    throw ConfigError(
        fmt::format("--{} {}: no file can be created there ({}); choose another directory", flag,
                    path.string(), std::strerror(reason)));
  }
}

/// Renaming a file over a device or a pipe would replace it.
bool is_replaceable(const fs::path& path) {
  std::error_code ignored;
  return !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
}

void write_to(const fs::path& path, std::string_view content) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream)
    throw Error(fmt::format("{}: write failed ({})", path.string(), std::strerror(errno)));
}

}  // namespace

OutputFile::OutputFile(std::string_view flag, const std::string& path) : path_(path) {
  if (path.empty()) throw ConfigError(fmt::format("--{}: the file name is empty", flag));
  if (is_standard_output()) return;
  // A symbolic link stays; the file that it names is replaced.
  std::error_code ignored;
  if (fs::is_symlink(path_, ignored)) path_ = fs::weakly_canonical(path_);
  check_writable(flag, path_);
  if (is_replaceable(path_)) try_temporary_file(flag, path_);
}

void OutputFile::write(std::string_view content) const {
  if (is_standard_output()) {
    std::cout << content;
    return;
  }
  if (!is_replaceable(path_)) return write_to(path_, content);

  const fs::path temporary = temporary_name(path_);
  std::error_code failure;
  try {
    write_to(temporary, content);
    fs::rename(temporary, path_);
  } catch (...) {
    fs::remove(temporary, failure);
    throw;
  }
}

}  // namespace fourfold::sim
