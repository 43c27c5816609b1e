#include "real/checkpoint/durable_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

[[noreturn]] void fail_writing(const std::filesystem::path& path) {
  throw Error(fmt::format("cannot write \"{}\": {}", path.string(), std::strerror(errno)));
}

std::uint32_t extended_crc32(std::uint32_t crc32, std::span<const std::byte> bytes) {
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(crc32, data, bytes.size()));
}

}  // namespace

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return bytes.empty() ? 0 : extended_crc32(0, bytes);
}

DurableFile::DurableFile(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail_writing(path_);
}

DurableFile::~DurableFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void DurableFile::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  summary_.bytes += static_cast<Bytes>(bytes.size());
  summary_.crc32 = extended_crc32(summary_.crc32, bytes);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

FileSummary DurableFile::finish() {
  if (::fsync(descriptor_) != 0) fail_writing(path_);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_writing(path_);
  return summary_;
}

void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail_writing(directory);
  const int result = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (result != 0) fail_writing(directory);
}

}  // namespace fourfold::real
