#include "sim/engine/disturbed_links.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold::sim {
namespace {

/// SimGrid's name without the direction.
std::string cable_name(const std::string& link_name) {
  for (const std::string_view direction : {"_UP", "_DOWN"}) {
    if (link_name.ends_with(direction)) {
      return link_name.substr(0, link_name.size() - direction.size());
    }
  }
  return link_name;
}

std::string nic_name(int nic) {
  return fmt::format("nic-{}", nic);
}

/// Both directions of a NIC: the first link of a route from it and the last of one to it.
std::vector<LinkId> links_of_nic(const Network& network, const std::string& nic) {
  const std::string other = nic == nic_name(0) ? nic_name(1) : nic_name(0);
  return {network.path(nic, other).links.front(), network.path(other, nic).links.back()};
}

std::string unknown_link_message(const Network& network, const std::string& name) {
  std::vector<std::string> known;
  for (const Link& link : network.links()) known.push_back(cable_name(link.name));
  for (int nic = 0; network.has_host(nic_name(nic)); ++nic) known.push_back(nic_name(nic));
  const std::string nearest = nearest_name(name, known);
  return fmt::format(
      "the machine has no link \"{}\"; {}the report lists names of links, and nic-N is NIC N", name,
      nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", nearest));
}

/// One link, or both directions of a cable or NIC.
std::vector<LinkId> find_links(const Network& network, const std::string& name) {
  if (name.starts_with("nic-") && network.has_host(name)) return links_of_nic(network, name);
  std::vector<LinkId> found;
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const std::string& link = network.links()[i].name;
    if (link == name || cable_name(link) == name) found.push_back(static_cast<LinkId>(i));
  }
  if (found.empty()) throw ConfigError(unknown_link_message(network, name));
  return found;
}

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
