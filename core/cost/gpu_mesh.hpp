#pragma once
// GPUs of a node joined by links of different widths, such as the xGMI links of MI250X nodes, and
// what rings over them reach.
//
// Two GPUs without a link talk over the shortest path through others (of those the widest); on its
// links that traffic takes 1/detour_efficiency of its bytes.
//
//     two GPUs     the link or path between them
//     more         a ring moves bytes in both directions at once: twice the rate of the cyclic order
//                  whose most loaded link is the least loaded. Further rings run beside it while
//                  they are as fast on what is left.
//
//   0 ==200== 1    Rings of 0 1 2 3 visit 0 1 3 2: twice 50. 0 and 1 alone have 200, 0 and 3 go
//   |50       |50  over 1 or 2: 50 x detour_efficiency.
//   2 ==200== 3
//
// Groups that do not share GPUs may share links on their detours; that is left out.

#include <bitset>
#include <vector>

#include "core/base/units.hpp"

namespace fourfold {

/// A link between two GPUs of a node, counted from 0; bandwidth per direction.
struct GpuLink {
  int first = 0, second = 0;
  BytesPerSecond bandwidth = 0;
};

class GpuMesh {
 public:
  /// All orders of a ring are tried, so nodes are small.
  static constexpr int kMostGpus = 8;
  using GpuSet = std::bitset<kMostGpus>;

  /// No links: not an uneven mesh.
  GpuMesh() = default;
  /// Links with 2 to kMostGpus GPUs, each pair at most once. Throws ConfigError where GPUs cannot
  /// reach each other.
  GpuMesh(int gpus, std::vector<GpuLink> links, double detour_efficiency);

  bool empty() const { return links_.empty(); }
  const std::vector<GpuLink>& links() const { return links_; }
  /// What each member of a ring over two GPUs or more can send.
  BytesPerSecond ring_bandwidth(GpuSet members) const {
    return ring_bandwidths_[members.to_ulong()];
  }

 private:
  std::vector<GpuLink> links_;
  std::vector<BytesPerSecond> ring_bandwidths_;  ///< by set of members
};

}  // namespace fourfold
