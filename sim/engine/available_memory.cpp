#include "sim/engine/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace fourfold::sim {
namespace {

namespace fs = std::filesystem;

/// The number in a file of one word; nothing for "max" and for a file that is not there.
std::optional<Bytes> number_in(const fs::path& file) {
  std::ifstream stream(file);
  Bytes value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

/// The number after `key` in lines of "key number" or "key: number unit".
std::optional<Bytes> number_after(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string word;
    Bytes value = 0;
    if (words >> word >> value && word == key) return value;
  }
  return std::nullopt;
}

Bytes available_in_system(const fs::path& root) {
  constexpr Bytes kKibi = 1024;
  const std::optional<Bytes> available = number_after(root / "proc/meminfo", "MemAvailable:");
  return available ? *available * kKibi : kUnlimitedMemory;
}

/// Names of the files of one version of control groups.
struct ControlFiles {
  const char *limit, *usage, *inactive;
};
constexpr ControlFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                    "total_inactive_file"};
constexpr ControlFiles kVersion2 = {"memory.max", "memory.current", "inactive_file"};

/// What a group and those above it, up to `top`, leave. Files in the cache that nobody has used
/// lately count as free, because the kernel drops them first.
Bytes available_in_groups(const fs::path& top, const fs::path& group, const ControlFiles& files) {
  Bytes available = kUnlimitedMemory;
  for (fs::path below = group.relative_path();; below = below.parent_path()) {
    const fs::path directory = top / below;
    const std::optional<Bytes> limit = number_in(directory / files.limit);
    const std::optional<Bytes> usage = number_in(directory / files.usage);
    if (limit && usage) {
      const Bytes inactive = number_after(directory / "memory.stat", files.inactive).value_or(0);
      available = std::min(available, std::max<Bytes>(0, *limit - (*usage - inactive)));
    }
    if (below.empty()) return available;
  }
}

/// Lines of /proc/self/cgroup: "4:memory:/path" of version 1, "0::/path" of version 2.
Bytes available_in_all_groups(const fs::path& root) {
  Bytes available = kUnlimitedMemory;
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const std::string path = line.substr(line.rfind(':') + 1);
    const fs::path groups = root / "sys/fs/cgroup";
    if (line.starts_with("0::")) {
      available = std::min(available, available_in_groups(groups, path, kVersion2));
    } else if (line.find(":memory:") != std::string::npos) {
      available = std::min(available, available_in_groups(groups / "memory", path, kVersion1));
    }
  }
  return available;
}

Bytes available_in_address_space(const fs::path& root) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return kUnlimitedMemory;
  }
  const Bytes pages = number_in(root / "proc/self/statm").value_or(0);
  return std::max<Bytes>(0, static_cast<Bytes>(limit.rlim_cur) - pages * ::sysconf(_SC_PAGESIZE));
}

}  // namespace

Bytes available_memory(const fs::path& root) {
  return std::min(
      {available_in_system(root), available_in_all_groups(root), available_in_address_space(root)});
}

}  // namespace fourfold::sim
