#pragma once

#include "core/backend/communicator.hpp"
#include "core/backend/device.hpp"
#include "core/grid/grid.hpp"

namespace fourfold {

/// Everything a rank's program is given: who it is, what it computes on, whom it talks to.
struct RankContext {
  const Grid& grid;
  int rank;
  Device& device;
  Communicator& communicator;

  int size(AxisSet axes) const { return grid.size(axes); }
  int index(AxisSet axes) const { return grid.index_in_group(rank, axes); }
};

}  // namespace fourfold
