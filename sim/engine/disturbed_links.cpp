#include "sim/engine/disturbed_links.hpp"

#include <map>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "sim/engine/link_names.hpp"

namespace fourfold::sim {
namespace {

/// Bandwidths of the links that are disturbed.
std::map<LinkId, BytesPerSecond> disturbed_bandwidths(const Network& network,
                                                      const Disturbances& disturbances) {
  std::map<LinkId, BytesPerSecond> bandwidths;
  const auto bandwidth = [&](LinkId link) -> BytesPerSecond& {
    return bandwidths.try_emplace(link, network.links()[static_cast<std::size_t>(link)].bandwidth)
        .first->second;
  };
  for (const DegradedLink& degraded : disturbances.degraded_links) {
    for (LinkId link : find_links(network, degraded.link)) bandwidth(link) *= degraded.factor;
  }
  for (const BackgroundTraffic& traffic : disturbances.background) {
    for (LinkId link : find_links(network, traffic.link)) {
      const BytesPerSecond available = bandwidth(link);
      bandwidth(link) -= traffic.bandwidth;
      if (bandwidth(link) > 0) continue;
      throw ConfigError(fmt::format(
          "background traffic of {} GB/s leaves nothing of link {}, which has {} GB/s; give less",
          traffic.bandwidth / kGiga, traffic.link, available / kGiga));
    }
  }
  return bandwidths;
}

}  // namespace

DisturbedLinks::DisturbedLinks(Network& network, const Disturbances& disturbances)
    : network_(network) {
  for (const auto& [link, bandwidth] : disturbed_bandwidths(network, disturbances)) {
    changed_.emplace_back(link, network.links()[static_cast<std::size_t>(link)].bandwidth);
    network.set_bandwidth(link, bandwidth);
  }
}

DisturbedLinks::~DisturbedLinks() {
  for (const auto& [link, bandwidth] : changed_) network_.set_bandwidth(link, bandwidth);
}

}  // namespace fourfold::sim
