#pragma once
// A folder that vanishes with the object.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <stdlib.h>

namespace fourfold::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "fourfold-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file of text.
  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  /// Writes a file of numbers, as they lie in memory.
  template <typename T>
  std::filesystem::path file_of(const std::string& name, const std::vector<T>& values) const {
    return file(
        name, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }

 private:
  std::filesystem::path path_;
};

/// The message of the Exception that `action` throws; "" if it throws none.
template <typename Exception, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace fourfold::test
