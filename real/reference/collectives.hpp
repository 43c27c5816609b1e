#pragma once
// The arithmetic of collectives, given the operands of all members.

#include <span>

#include "core/backend/collective.hpp"

namespace fourfold::real {

/// Evaluates a collective whose i-th member passed `members[i]`. Reductions are summed in group
/// order.
void run_collective(std::span<const Collective> members);

}  // namespace fourfold::real
