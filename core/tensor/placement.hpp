#pragma once
// How a matrix lies on the grid. In PyTorch's words: Shard(0) over `rows`, Shard(1) over `columns`, then the local
// block, flattened, Shard(0) over `flat`; Replicate over every other axis.
//
// Example, a weight W (k x n) of the paper on x=2, y=2, z=2: rows over y, columns over x, flat over z.
// Rank (x,y,z) = (1,0,1) holds the second half of the flattened block W[0:k/2, n/2:n].

#include <vector>

#include "core/grid/grid.hpp"
#include "core/tensor/tensor.hpp"

namespace fourfold {

struct Placement {
  AxisSet rows, columns, flat;
  /// Columns consist of this many equal parts, each split over `columns` by itself: 3 for the queries, keys and
  /// values of a fused projection, so that every rank holds whole heads of all three.
  std::int64_t column_parts = 1;
};

/// The block of `global` (rows, columns) before the flat split. Throws ShapeError naming `name`.
Shape local_block(const Shape& global, const Placement& placement, const Grid& grid, std::string_view name);

/// Elements of one rank's shard: the block divided over the flat axes. Throws ShapeError naming `name`.
std::int64_t shard_elements(const Shape& global, const Placement& placement, const Grid& grid, std::string_view name);

/// Number of tensor-parallel ranks that hold the same shard.
int replicas(const Placement& placement, const Grid& grid);

/// `count` consecutive elements: at `local` in a rank's shard, at `global` in the flattened matrix.
struct ShardRun {
  std::int64_t local, global, count;
};
/// Where the elements of a rank's shard lie in the global matrix, in local order.
std::vector<ShardRun> shard_runs(const Shape& global, const Placement& placement, const Grid& grid, int rank);

}  // namespace fourfold
