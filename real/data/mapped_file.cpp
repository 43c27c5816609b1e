#include "real/data/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* reason) {
  throw ConfigError(
      fmt::format("cannot read \"{}\": {}; check path and permissions", path.string(), reason));
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) fail(path_, "there is no such file");
  if (!std::filesystem::is_regular_file(path_)) fail(path_, "it is not a regular file");
  const auto size = static_cast<std::size_t>(std::filesystem::file_size(path_));
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path_, std::strerror(errno));
  if (size == 0) {  // nothing to map
    ::close(descriptor);
    return;
  }
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  ::close(descriptor);  // the mapping stays
  if (address == MAP_FAILED) fail(path_, std::strerror(error));
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace fourfold::real
