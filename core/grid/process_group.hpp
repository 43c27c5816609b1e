#pragma once
// Who talks to whom. A process group is the set of ranks that differ only in the coordinates of some axes.
//
// Worked example: grid x=2, y=2, z=2, data=1, axis order x, y, z (x innermost), so rank = x + 2 y + 4 z.
//
//   rank  (x,y,z)      group along x   along y   along z   along x+y      along z+data
//    0    (0,0,0)          0 1           0 2       0 4      0 1 2 3          0 4
//    1    (1,0,0)          0 1           1 3       1 5      0 1 2 3          1 5
//    2    (0,1,0)          2 3           0 2       2 6      0 1 2 3          2 6
//    5    (1,0,1)          4 5           5 7       1 5      4 5 6 7          1 5
//    7    (1,1,1)          6 7           5 7       3 7      4 5 6 7          3 7
//
// Rank 5 is index 1 of its x group (4 5), index 0 of its y group (5 7), index 1 of its z group (1 5).
// The groups along any set of axes partition the world, and members are listed in ascending rank:
// member i holds shard i of whatever is split over the group, and ring neighbours are members i and i + 1.

#include <vector>

#include "core/grid/axis.hpp"

namespace fourfold {

struct ProcessGroup {
  AxisSet axes;
  std::vector<int> ranks;  ///< ascending
  int index = 0;           ///< position of the asking rank in `ranks`

  int size() const { return static_cast<int>(ranks.size()); }
};

}  // namespace fourfold
