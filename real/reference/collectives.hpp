#pragma once
// The arithmetic of collectives, given the operands of all members.

#include <span>
#include <string>

#include "core/backend/collective.hpp"

namespace fourfold::real {

/// Throws ShapeError unless input and output have one type and the sizes that
/// core/backend/collective.hpp states.
void check_sizes(const Collective& collective, int group_size);

/// "all_reduce (sum) of 12 float32 over x": equal for all members of a group, or they do not match.
std::string describe(const Collective& collective);

/// Evaluates a collective whose i-th member passed `members[i]`. Reductions are summed in group
/// order.
void run_collective(std::span<const Collective> members);

}  // namespace fourfold::real
