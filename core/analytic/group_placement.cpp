#include "core/analytic/group_placement.hpp"

#include <algorithm>

namespace fourfold {

GroupPlacement place_groups(AxisSet axes, const Grid& grid, int gpus_per_node) {
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
  return placement;
}

}  // namespace fourfold
