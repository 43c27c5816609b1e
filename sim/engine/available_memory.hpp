#pragma once
// How much more memory this process may take before the computer swaps or the kernel ends it.

#include <filesystem>
#include <limits>

#include "core/base/units.hpp"

namespace fourfold::sim {

inline constexpr Bytes kUnlimitedMemory = std::numeric_limits<Bytes>::max();

/// The smallest of: MemAvailable of the computer, what the process's control groups (versions 1 and
/// 2) leave, and what the limit of its address space (ulimit -v) leaves. Unlimited where the system
/// tells nothing. `root` is for tests: the directory that holds proc/ and sys/.
Bytes available_memory(const std::filesystem::path& root = "/");

}  // namespace fourfold::sim
