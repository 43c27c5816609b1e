#include "core/cost/framework_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/json_reader.hpp"

namespace fourfold {
namespace {

constexpr double kMiB = 1048576.0;

/// Along which a training step communicates; a test compares it with recorded programs.
constexpr std::array<AxisSet, 7> kCommunicatorAxes = {
    Axis::x, Axis::y, Axis::z, Axis::data, Axis::x | Axis::y, kBatchAxes, kTensorAxes};

Bytes mebibytes(JsonObject& file, const std::string& key) {
  constexpr double kMost_MiB = 1e6;
  const double value = file.non_negative_number(key);
  if (value > kMost_MiB) file.fail(key, "is more than a million; give MiB, not bytes");
  return static_cast<Bytes>(value * kMiB);
}

CommunicatorMemory read_communicator(JsonObject file) {
  CommunicatorMemory memory;
  memory.fixed = mebibytes(file, "fixed_MiB");
  memory.first_extra = mebibytes(file, "first_extra_MiB");
  memory.per_channel_and_peer = mebibytes(file, "per_channel_and_peer_MiB");
  memory.channels = file.count("channels");
  memory.peers = file.count("peers");
  file.finish();
  return memory;
}

/// The axes of the set that have several ranks.
AxisSet without_single_ranks(AxisSet axes, const Grid& grid) {
  AxisSet kept;
  for (const Axis axis : kAllAxes) {
    if (axes.contains(axis) && grid.size(axis) > 1) kept = kept | axis;
  }
  return kept;
}

Bytes communicators(const CommunicatorMemory& memory, const Grid& grid) {
  Bytes bytes = 0;
  for (const int size : communicator_sizes(grid)) {
    if (bytes == 0) bytes += memory.first_extra;
    const Bytes connections =
        static_cast<Bytes>(memory.channels) * std::min(size - 1, memory.peers);
    bytes += memory.fixed + connections * memory.per_channel_and_peer;
  }
  return bytes;
}

}  // namespace

FrameworkMemory read_framework_memory(const std::filesystem::path& path) {
  JsonObject file = read_json(path);
  FrameworkMemory framework;
  framework.name = file.string("name");
  JsonObject context = file.object("context");
  framework.context = mebibytes(context, "MiB");
  context.finish();
  framework.communicator = read_communicator(file.object("communicator"));
  JsonObject workspace = file.object("workspace");
  framework.workspace = mebibytes(workspace, "MiB");
  workspace.finish();
  JsonObject fragmentation = file.object("fragmentation");
  framework.fragmentation = fragmentation.fraction("share");
  fragmentation.finish();
  file.finish();
  return framework;
}

std::vector<int> communicator_sizes(const Grid& grid) {
  std::set<AxisSet> groups;
  for (const AxisSet axes : kCommunicatorAxes) groups.insert(without_single_ranks(axes, grid));
  groups.erase(AxisSet());
  std::vector<int> sizes;
  for (const AxisSet axes : groups) sizes.push_back(grid.size(axes));
  return sizes;
}

FrameworkUse framework_use(const FrameworkMemory& framework, const Grid& grid, Bytes tensors) {
  return {.context = framework.context,
          .communicators = communicators(framework.communicator, grid),
          .workspace = framework.workspace,
          .fragmentation = static_cast<Bytes>(
              std::ceil(framework.fragmentation * static_cast<double>(tensors)))};
}

Bytes memory_for_tensors(const FrameworkMemory& framework, const Grid& grid, Bytes gpu_memory) {
  const Bytes left = gpu_memory - framework_use(framework, grid, 0).total();
  const double tensors = static_cast<double>(left) / (1 + framework.fragmentation);
  return std::max<Bytes>(static_cast<Bytes>(tensors), 1);
}

}  // namespace fourfold
