#include "sim/engine/link_pruning.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace fourfold::sim {
namespace {

/// How often one flow is listed on a link.
struct Use {
  int flow = 0;
  int times = 0;
  friend auto operator<=>(const Use&, const Use&) = default;
};
using Users = std::vector<Use>;

std::map<LinkId, Users> users_by_link(const std::vector<std::vector<LinkId>>& flows) {
  std::map<LinkId, Users> users;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto flow = static_cast<int>(f);
    for (LinkId link : flows[f]) {
      Users& uses = users[link];
      if (uses.empty() || uses.back().flow != flow) uses.push_back({flow, 0});
      uses.back().times += 1;
    }
  }
  return users;
}

/// Case 1: the slowest link of those with the same users.
std::map<LinkId, Users> without_twins(const std::map<LinkId, Users>& users,
                                      const std::vector<Link>& links) {
  const auto bandwidth = [&](LinkId link) {
    return links[static_cast<std::size_t>(link)].bandwidth;
  };
  std::map<std::pair<bool, Users>, LinkId> slowest;
  for (const auto& [link, uses] : users) {
    const bool shared = links[static_cast<std::size_t>(link)].shared;
    const auto [entry, added] = slowest.try_emplace({shared, uses}, link);
    if (!added && bandwidth(link) < bandwidth(entry->second)) entry->second = link;
  }
  std::map<LinkId, Users> kept;
  for (const auto& [key, link] : slowest) kept[link] = key.second;
  return kept;
}

/// Case 2: the links that some flow alone can fill, or that all their flows together can.
std::vector<LinkId> fillable(const std::map<LinkId, Users>& users, std::size_t flow_count,
                             const std::vector<Link>& links) {
  std::vector<BytesPerSecond> fastest(flow_count, std::numeric_limits<double>::infinity());
  std::vector<LinkId> limiting(flow_count, -1);
  for (const auto& [link, uses] : users) {
    for (const Use& use : uses) {
      const auto flow = static_cast<std::size_t>(use.flow);
      const BytesPerSecond rate = links[static_cast<std::size_t>(link)].bandwidth / use.times;
      if (rate >= fastest[flow]) continue;
      fastest[flow] = rate;
      limiting[flow] = link;
    }
  }
  std::vector<LinkId> kept;
  for (const auto& [link, uses] : users) {
    BytesPerSecond load = 0;
    bool limits = false;
    for (const Use& use : uses) {
      const auto flow = static_cast<std::size_t>(use.flow);
      const BytesPerSecond most = use.times * fastest[flow];
      load = links[static_cast<std::size_t>(link)].shared ? load + most : std::max(load, most);
      limits = limits || limiting[flow] == link;
    }
    if (limits || load > links[static_cast<std::size_t>(link)].bandwidth) kept.push_back(link);
  }
  return kept;
}

}  // namespace

std::vector<std::vector<LinkId>> prune_links(const std::vector<std::vector<LinkId>>& flows,
                                             const std::vector<Link>& links) {
  const std::map<LinkId, Users> users = without_twins(users_by_link(flows), links);
  std::vector<std::vector<LinkId>> pruned(flows.size());
  for (LinkId link : fillable(users, flows.size(), links)) {
    for (const Use& use : users.at(link)) {
      std::vector<LinkId>& kept = pruned[static_cast<std::size_t>(use.flow)];
      kept.insert(kept.end(), static_cast<std::size_t>(use.times), link);
    }
  }
  return pruned;
}

}  // namespace fourfold::sim
