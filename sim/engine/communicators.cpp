#include "sim/engine/communicators.hpp"

#include <map>

namespace fourfold::sim {

Communicators lay_out(const std::vector<CommunicatorKey>& keys, const Grid& grid,
                      const Machine& machine, const Network& network) {
  std::map<AxisSet, std::vector<Ring>>
      rings_along;  // streams that use the same axes have equal rings
  Communicators result;
  for (const CommunicatorKey& key : keys) {
    std::vector<Ring>& rings = rings_along[key.axes];
    if (rings.empty()) {
      for (const ProcessGroup& group : grid.groups(key.axes))
        rings.push_back(make_ring(group, machine, network));
    }
    const auto communicator = static_cast<int>(result.ring_of_rank.size());
    std::vector<int>& ring_of_rank = result.ring_of_rank.emplace_back(grid.world_size());
    for (const Ring& ring : rings) {
      for (int rank : ring.members) {
        ring_of_rank[static_cast<std::size_t>(rank)] = static_cast<int>(result.rings.size());
      }
      result.rings.push_back(ring);
      result.communicator_of_ring.push_back(communicator);
    }
  }
  return result;
}

}  // namespace fourfold::sim
