#include "sim/engine/link_use.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace fourfold::sim {
namespace {

constexpr std::string_view kNodePort = "node port";
constexpr std::string_view kNic = "nic";
constexpr std::string_view kGlobal = "global";

std::string_view class_of(const RingFlow& flow, const std::vector<LinkId>& hop,
                          std::size_t position) {
  if (flow.in_node) return kNodePort;
  return position == 0 || position + 1 == hop.size() ? kNic : kGlobal;
}

/// Bytes that each member of each ring of a communicator sends in the whole step.
std::vector<double> bytes_by_communicator(const ReplayProgram& program) {
  std::vector<double> bytes(program.communicators.size(), 0.0);
  for (const ProgramCollective& collective : program.collectives) {
    bytes[static_cast<std::size_t>(collective.communicator)] += collective.ring_bytes;
  }
  return bytes;
}

}  // namespace

std::vector<LinkUse> link_use(const ReplayProgram& program, const Communicators& communicators,
                              const std::vector<Link>& links, Seconds step_time) {
  const std::vector<double> ring_bytes = bytes_by_communicator(program);
  std::map<LinkId, LinkUse> uses;
  for (std::size_t r = 0; r < communicators.rings.size(); ++r) {
    const double bytes =
        ring_bytes[static_cast<std::size_t>(communicators.communicator_of_ring[r])];
    for (const RingFlow& flow : communicators.rings[r].flows) {
      for (const std::vector<LinkId>& hop : flow.hops) {
        for (std::size_t i = 0; i < hop.size(); ++i) {
          LinkUse& use = uses[hop[i]];
          use.link_class = class_of(flow, hop, i);
          use.bytes += bytes * flow.share;
        }
      }
    }
  }
  std::vector<LinkUse> result;
  for (auto& [id, use] : uses) {
    const Link& link = links[static_cast<std::size_t>(id)];
    use.name = link.name;
    use.utilisation = step_time > 0 ? use.bytes / (link.bandwidth * step_time) : 0.0;
    result.push_back(std::move(use));
  }
  return result;
}

std::vector<LinkClassUse> use_by_class(const std::vector<LinkUse>& links) {
  std::vector<LinkClassUse> classes;
  for (std::string_view name : {kNodePort, kNic, kGlobal}) {
    LinkClassUse use;
    use.link_class = name;
    for (const LinkUse& link : links) {
      if (link.link_class != name) continue;
      use.links += 1;
      use.bytes += link.bytes;
      use.max_utilisation = std::max(use.max_utilisation, link.utilisation);
    }
    if (use.links > 0) classes.push_back(std::move(use));
  }
  return classes;
}

std::vector<LinkUse> busiest(std::vector<LinkUse> links) {
  constexpr std::size_t kMost = 10;
  std::stable_sort(links.begin(), links.end(), [](const LinkUse& a, const LinkUse& b) {
    return a.utilisation > b.utilisation;
  });
  if (links.size() > kMost) links.resize(kMost);
  return links;
}

}  // namespace fourfold::sim
