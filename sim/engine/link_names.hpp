#pragma once
// Links as people name them.

#include <string>
#include <vector>

#include "sim/engine/network.hpp"

namespace fourfold::sim {

/// The link of SimGrid's name; both directions of a cable, its name without _UP and _DOWN; or both of NIC N, "nic-N".
/// Throws ConfigError naming the nearest when there is none.
std::vector<LinkId> find_links(const Network& network, const std::string& name);

/// Both directions of a NIC "nic-N": the first link of a route from it and the last of one to it.
std::vector<LinkId> links_of_nic(const Network& network, const std::string& nic);

}  // namespace fourfold::sim
