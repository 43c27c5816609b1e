#pragma once
// Where process groups lie when ranks fill the nodes in order, without listing them.

#include "core/cost/collective_model.hpp"
#include "core/grid/grid.hpp"

namespace fourfold {

/// Placement of the groups along `axes` on nodes with `links`. Exact where the axes nest in nodes;
/// otherwise (3 x 2 ranks on nodes of 4, say) groups lie differently from each other, and the answer
/// stands for the ones that cross node boundaries, which the others wait for. In an uneven mesh it
/// is that of the group with the narrowest links.
GroupPlacement place_groups(AxisSet axes, const Grid& grid, const NodeLinks& links);

}  // namespace fourfold
