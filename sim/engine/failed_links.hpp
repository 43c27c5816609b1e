#pragma once
// A machine with links that carry nothing: ways around them, where there are any.

#include <set>

#include "sim/disturbances.hpp"
#include "sim/engine/communicators.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {

/// Throws ConfigError for a link that the network lacks.
std::set<LinkId> find_failed_links(const Network& network, const Disturbances& disturbances);

/// The machine with the GPUs of a failed NIC on other NICs of their node: the k-th of a node on the k-th of the remaining
/// ones, cyclic. A node with no NIC left stays as it is.
Machine around_failed_nics(const Machine& machine, const Network& network,
                           const std::set<LinkId>& failed);

/// Throws ConfigError naming the ranks that communicate over a failed link.
void check_connected(const Communicators& communicators, const Network& network,
                     const std::set<LinkId>& failed);

}  // namespace fourfold::sim
