#include "sim/engine/failed_links.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "sim/engine/link_names.hpp"

namespace fourfold::sim {
namespace {

bool has_failed(const Machine& machine, const Network& network, const std::set<LinkId>& failed,
                int nic) {
  const std::vector<LinkId> links = links_of_nic(network, machine.host_name_of_nic(nic));
  return std::ranges::any_of(links, [&](LinkId link) { return failed.contains(link); });
}

/// Adds the detours of one node.
void lead_around(Machine& machine, const Network& network, const std::set<LinkId>& failed,
                 int node) {
  std::set<int> down;
  std::vector<int> up;
  for (int i = 0; i < machine.nics_per_node; ++i) {
    const int nic = node * machine.nics_per_node + i;
    if (has_failed(machine, network, failed, nic)) {
      down.insert(nic);
    } else {
      up.push_back(nic);
    }
  }
  if (down.empty() || up.empty()) return;
  std::size_t next = 0;
  for (int i = 0; i < machine.gpus_per_node; ++i) {
    const int gpu = node * machine.gpus_per_node + i;
    if (down.contains(machine.nic_of_gpu(gpu))) machine.detours[gpu] = up[next++ % up.size()];
  }
}

}  // namespace

std::set<LinkId> find_failed_links(const Network& network, const Disturbances& disturbances) {
  std::set<LinkId> failed;
  for (const FailedLink& name : disturbances.failed_links) {
    const std::vector<LinkId> links = find_links(network, name);
    failed.insert(links.begin(), links.end());
  }
  return failed;
}

Machine around_failed_nics(const Machine& machine, const Network& network,
                           const std::set<LinkId>& failed) {
  Machine detoured = machine;
  if (failed.empty() || machine.nodes() * machine.nics_per_node < 2) return detoured;
  for (int node = 0; node < machine.nodes(); ++node) lead_around(detoured, network, failed, node);
  return detoured;
}

void check_connected(const Communicators& communicators, const Network& network,
                     const std::set<LinkId>& failed) {
  if (failed.empty()) return;
  constexpr std::size_t kNamedRanks = 8;
  for (const Ring& ring : communicators.rings) {
    for (const RingFlow& flow : ring.flows) {
      for (LinkId link : union_of_links(flow)) {
        if (!failed.contains(link)) continue;
        const std::size_t named = std::min(kNamedRanks, ring.members.size());
        throw ConfigError(fmt::format(
            "link {} has failed and no way leads around it for the group of ranks {}{}; let the "
            "grid leave that node out, or degrade the link instead",
            network.links()[static_cast<std::size_t>(link)].name,
            fmt::join(ring.members.begin(),
                      ring.members.begin() + static_cast<std::ptrdiff_t>(named), ", "),
            named < ring.members.size() ? ", ..." : ""));
      }
    }
  }
}

}  // namespace fourfold::sim
