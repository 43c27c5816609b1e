#pragma once
// Payload bytes over every link of the platform. Nothing is counted while the replay runs: what a
// ring sends over its links follows from its layout and the program.

#include <vector>

#include "sim/engine/communicators.hpp"
#include "sim/simulation.hpp"

namespace fourfold::sim {

/// Links that carried anything. Classes: "node port" inside nodes, "nic" at either end of a route
/// between nodes, "global" between those.
std::vector<LinkUse> link_use(const ReplayProgram& program, const Communicators& communicators,
                              const std::vector<Link>& links, Seconds step_time);

/// One line a class, in the order node port, nic, global.
std::vector<LinkClassUse> use_by_class(const std::vector<LinkUse>& links);

/// At most ten, most utilised first.
std::vector<LinkUse> busiest(std::vector<LinkUse> links);

}  // namespace fourfold::sim
