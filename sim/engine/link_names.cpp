#include "sim/engine/link_names.hpp"

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

std::string unknown_link_message(const Network& network, const std::string& name) {
  std::vector<std::string> known;
  for (const Link& link : network.links()) known.push_back(cable_name(link.name));
  for (int nic = 0; network.has_host(nic_name(nic)); ++nic) known.push_back(nic_name(nic));
  const std::string nearest = nearest_name(name, known);
  return fmt::format(
      "the machine has no link \"{}\"; {}the report lists names of links, and nic-N is NIC N", name,
      nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", nearest));
}

}  // namespace

std::vector<LinkId> links_of_nic(const Network& network, const std::string& nic) {
  const std::string other = nic == nic_name(0) ? nic_name(1) : nic_name(0);
  return {network.path(nic, other).links.front(), network.path(other, nic).links.back()};
}

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

}  // namespace fourfold::sim
