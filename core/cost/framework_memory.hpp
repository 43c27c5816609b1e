#pragma once
// Memory of a GPU that is taken beside the tensors of the algorithm: by the device's context, the collective library,
// the BLAS library and the allocator. Estimates, added to the accounted peak (core/program/memory_account.hpp), which
// they leave as it is. Constants are read from platforms/frameworks/NAME.json, where each has its source.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/grid/grid.hpp"

namespace fourfold {

/// What a communicator of p ranks allocates on each of its GPUs:
///
///     fixed + channels min(p - 1, peers) per_channel_and_peer
///
/// because NCCL gives every channel a buffer for every peer that it receives from, and a ring has two neighbours.
struct CommunicatorMemory {
  Bytes fixed = 0;
  Bytes per_channel_and_peer = 0;
  int channels = 1, peers = 1;
  Bytes first_extra = 0;  ///< of the first communicator of a process, once
};

/// All zero: nothing but tensors is counted.
struct FrameworkMemory {
  std::string name = "none";
  Bytes context = 0;  ///< device context, loaded kernels, driver
  CommunicatorMemory communicator;
  Bytes workspace = 0;  ///< of the BLAS library
  double fragmentation =
      0;  ///< share of the tensors that the allocator holds without using it, 0 to 1
};

/// Reads and checks a file. Throws ConfigError naming file and key.
FrameworkMemory read_framework_memory(const std::filesystem::path& file);

/// Numbers of ranks of the communicators of a training step: one for each set of axes that it communicates along
/// (x, y, z, data, x+y, z+data, x+y+z), groups with the same members counted once, groups of one not at all.
std::vector<int> communicator_sizes(const Grid& grid);

/// One GPU's share by item, in bytes.
struct FrameworkUse {
  Bytes context = 0, communicators = 0, workspace = 0, fragmentation = 0;

  Bytes total() const { return context + communicators + workspace + fragmentation; }
};

/// Beside tensors whose accounted peak is `tensors` bytes.
FrameworkUse framework_use(const FrameworkMemory& framework, const Grid& grid, Bytes tensors);

/// The largest accounted peak that fits a GPU of `gpu_memory` bytes beside the rest; 1 where nothing fits, because to a
/// MemoryAccount 0 means unlimited.
Bytes memory_for_tensors(const FrameworkMemory& framework, const Grid& grid, Bytes gpu_memory);

}  // namespace fourfold
