#include "real/checkpoint/ownership.hpp"

namespace fourfold::real {

bool owns(const Placement& placement, const Grid& grid, int rank) {
  const AxisSet split = placement.rows | placement.columns | placement.flat;
  const Coordinate coordinate = grid.coordinate(rank);
  for (const Axis axis : kAllAxes) {
    if (!split.contains(axis) && coordinate[static_cast<std::size_t>(axis)] != 0) return false;
  }
  return true;
}

}  // namespace fourfold::real
