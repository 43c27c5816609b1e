#pragma once
// Who writes what: every element of a parameter is written by exactly one rank.

#include "core/tensor/placement.hpp"

namespace fourfold::real {

/// Whether `rank` is the one that writes its shard: its coordinates are 0 on all axes along which the parameter is
/// replicated.
bool owns(const Placement& placement, const Grid& grid, int rank);

}  // namespace fourfold::real
