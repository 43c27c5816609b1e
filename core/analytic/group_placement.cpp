#include "core/analytic/group_placement.hpp"

#include <algorithm>
#include <map>

namespace fourfold {
namespace {

/// Of the groups along `axes` on a node that is filled with the first ranks.
BytesPerSecond narrowest_ring(AxisSet axes, const Grid& grid, const NodeLinks& links) {
  const int ranks = std::min(links.gpus_per_node, grid.world_size());
  std::map<int, GpuMesh::GpuSet> members_of_group;  // by the group's first rank
  for (int rank = 0; rank < ranks; ++rank) {
    Coordinate first = grid.coordinate(rank);
    for (const Axis axis : kAllAxes) {
      if (axes.contains(axis)) first[static_cast<std::size_t>(axis)] = 0;
    }
    members_of_group[grid.rank(first)].set(static_cast<std::size_t>(rank));
  }
  BytesPerSecond narrowest = 0;
  for (const auto& [first, members] : members_of_group) {
    const BytesPerSecond bandwidth = links.uneven.ring_bandwidth(members);
    if (narrowest == 0 || (bandwidth > 0 && bandwidth < narrowest)) narrowest = bandwidth;
  }
  return narrowest;
}

}  // namespace

GroupPlacement place_groups(AxisSet axes, const Grid& grid, const NodeLinks& links) {
  const int gpus_per_node = links.gpus_per_node;
  GroupPlacement placement{.ranks = grid.size(axes), .nodes = 1, .ranks_per_node = 1};
  bool crosses = false;
  for (const Axis axis : grid.order()) {
    const int size = grid.size(axis);
    if (!axes.contains(axis) || size == 1) continue;
    const int stride = grid.stride(axis);
    const int span = stride * size;  // of this axis, on consecutive ranks
    if (gpus_per_node % span == 0) {
      placement.ranks_per_node *= size;
    } else {
      crosses = true;
      placement.ranks_per_node *= std::clamp(gpus_per_node / stride, 1, size);
    }
  }
  placement.ranks_per_node = std::min({placement.ranks_per_node, placement.ranks, gpus_per_node});
  if (crosses) {
    placement.nodes =
        std::max(2, (placement.ranks + placement.ranks_per_node - 1) / placement.ranks_per_node);
  }
  if (!links.uneven.empty()) placement.ring_bandwidth = narrowest_ring(axes, grid, links);
  return placement;
}

}  // namespace fourfold
