#pragma once
// Links as a disturbed step finds them, for the duration of that step.

#include <utility>
#include <vector>

#include "sim/disturbances.hpp"
#include "sim/engine/network.hpp"

namespace fourfold::sim {

/// Changes bandwidths of the network while it lives. Degrading comes before subtracting background traffic.
class DisturbedLinks {
 public:
  /// Throws ConfigError for a link that the network lacks, naming the nearest, and for background traffic that leaves
  /// nothing of a link.
  DisturbedLinks(Network& network, const Disturbances& disturbances);
  ~DisturbedLinks();
  DisturbedLinks(const DisturbedLinks&) = delete;
  DisturbedLinks& operator=(const DisturbedLinks&) = delete;

 private:
  Network& network_;
  std::vector<std::pair<LinkId, BytesPerSecond>> changed_;  ///< with the bandwidths before
};

}  // namespace fourfold::sim
