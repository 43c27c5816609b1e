#include "sim/engine/ring.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace fourfold::sim {
namespace {

/// Members of one node, in ring order.
using NodeMembers = std::vector<int>;

std::vector<NodeMembers> split_by_node(const std::vector<int>& members, int gpus_per_node) {
  std::vector<NodeMembers> nodes;
  int last_node = -1;
  for (int rank : members) {
    if (rank / gpus_per_node != last_node) nodes.emplace_back();
    last_node = rank / gpus_per_node;
    nodes.back().push_back(rank);
  }
  return nodes;
}

/// Over the links of the node that has the narrowest.
BytesPerSecond narrowest_ring(const std::vector<NodeMembers>& nodes, const Machine& machine) {
  BytesPerSecond narrowest = 0;
  for (const NodeMembers& node : nodes) {
    GpuMesh::GpuSet members;
    for (int rank : node) members.set(static_cast<std::size_t>(rank % machine.gpus_per_node));
    const BytesPerSecond bandwidth = machine.mesh_links.ring_bandwidth(members);
    if (narrowest == 0 || (bandwidth > 0 && bandwidth < narrowest)) narrowest = bandwidth;
  }
  return narrowest;
}

std::string nic_host(const Machine& machine, int rank) {
  return machine.host_name_of_nic(machine.nic_of_gpu(rank));
}

int at_cyclic(const NodeMembers& node, std::size_t index) {
  return node[index % node.size()];
}

/// Collects the hops of a ring into flows of equal share.
class RingBuilder {
 public:
  RingBuilder(const Machine& machine, const Network& network)
      : machine_(machine), network_(network) {}

  void add_node(const NodeMembers& node, bool whole_group) {
    const auto members = static_cast<double>(node.size());
    const double share = whole_group ? 1.0 : (members - 1.0) / members;
    if (share == 0.0) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
      add(true, share,
          network_.path(machine_.host_name_of_gpu(node[i]),
                        machine_.host_name_of_gpu(at_cyclic(node, i + 1))));
    }
  }

  void add_boundary(const NodeMembers& from, const NodeMembers& to) {
    const std::size_t crossings = std::max(from.size(), to.size());
    for (std::size_t i = 0; i < crossings; ++i) {
      add(false, 1.0 / static_cast<double>(crossings),
          network_.path(nic_host(machine_, at_cyclic(from, i)),
                        nic_host(machine_, at_cyclic(to, i))));
    }
  }

  Seconds hop_latency() const { return hop_latency_; }

  std::vector<RingFlow> take_flows() {
    std::vector<RingFlow> flows;
    for (auto& [key, hops] : hops_) flows.push_back({key.first, key.second, std::move(hops)});
    return flows;
  }

 private:
  void add(bool in_node, double share, const Path& path) {
    hops_[{in_node, share}].push_back(path.links);
    hop_latency_ = std::max(hop_latency_, path.latency);
  }

  const Machine& machine_;
  const Network& network_;
  std::map<std::pair<bool, double>, std::vector<std::vector<LinkId>>> hops_;
  Seconds hop_latency_ = 0;
};

}  // namespace

std::vector<LinkId> union_of_links(const RingFlow& flow) {
  std::vector<LinkId> links;
  for (const std::vector<LinkId>& hop : flow.hops)
    links.insert(links.end(), hop.begin(), hop.end());
  return links;
}

Ring make_ring(const ProcessGroup& group, const Machine& machine, const Network& network) {
  const std::vector<NodeMembers> nodes = split_by_node(group.ranks, machine.gpus_per_node);
  RingBuilder builder(machine, network);
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    builder.add_node(nodes[i], nodes.size() == 1);
    if (nodes.size() > 1) builder.add_boundary(nodes[i], nodes[(i + 1) % nodes.size()]);
    fullest = std::max(fullest, nodes[i].size());
  }
  const GroupPlacement placement = {
      group.size(), static_cast<int>(nodes.size()), static_cast<int>(fullest),
      machine.mesh_links.empty() ? 0.0 : narrowest_ring(nodes, machine)};
  return {group.ranks, placement, builder.hop_latency(), builder.take_flows()};
}

std::vector<std::vector<RingHop>> ring_channels(const Ring& ring, const Machine& machine,
                                                const Network& network) {
  const std::vector<NodeMembers> nodes = split_by_node(ring.members, machine.gpus_per_node);
  // On a single node all channels are the same ring.
  const auto count =
      nodes.size() == 1 ? std::size_t{1} : static_cast<std::size_t>(ring.placement.ranks_per_node);
  std::vector<std::vector<RingHop>> channels(count);
  for (std::size_t channel = 0; channel < count; ++channel) {
    std::vector<RingHop>& hops = channels[channel];
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const NodeMembers& node = nodes[n];
      const NodeMembers& next = nodes[(n + 1) % nodes.size()];
      for (std::size_t i = 0; i + 1 < node.size(); ++i) {
        const int from = at_cyclic(node, channel + i);
        const int to = at_cyclic(node, channel + i + 1);
        hops.push_back(
            {true, network.path(machine.host_name_of_gpu(from), machine.host_name_of_gpu(to))});
      }
      if (nodes.size() == 1) {
        hops.push_back({true, network.path(machine.host_name_of_gpu(node.back()),
                                           machine.host_name_of_gpu(node.front()))});
      } else {
        const std::string from = nic_host(machine, at_cyclic(node, channel));
        hops.push_back({false, network.path(from, nic_host(machine, at_cyclic(next, channel)))});
      }
    }
  }
  return channels;
}

}  // namespace fourfold::sim
