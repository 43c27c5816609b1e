#include "core/cost/collective_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/math.hpp"

namespace fourfold {
namespace {

/// The constants of one protocol for groups inside a node or across nodes.
struct StepConstants {
  Seconds fixed = 0, latency = 0;
  double network_efficiency = 1.0, node_efficiency = 1.0;
};

StepConstants select(const RingConstants& ring, const ProtocolConstants& protocol,
                     bool across_nodes) {
  return {.fixed = across_nodes ? ring.fixed_network : ring.fixed_node,
          .latency = across_nodes ? protocol.step_latency_network : protocol.step_latency_node,
          .network_efficiency = protocol.network_efficiency,
          .node_efficiency = protocol.node_efficiency};
}

/// Half of an all_reduce's bytes go one way, half the other: latencies and times per byte are
/// averaged.
StepConstants mean(const StepConstants& a, const StepConstants& b) {
  return {.fixed = (a.fixed + b.fixed) / 2,
          .latency = (a.latency + b.latency) / 2,
          .network_efficiency = 2 / (1 / a.network_efficiency + 1 / b.network_efficiency),
          .node_efficiency = 2 / (1 / a.node_efficiency + 1 / b.node_efficiency)};
}

/// The part of a GPU's port that `k` GPUs of a node can use among themselves.
double usable_port(const NodeLinks& links, int k) {
  if (!links.mesh || k < 2 || links.gpus_per_node < 3) return 1.0;
  return static_cast<double>(k - 1) / (links.gpus_per_node - 1);
}

}  // namespace

Seconds CollectiveCost::join(Seconds transfer) const {
  return fixed + (latency_hides ? std::hypot(latency, transfer) : latency + transfer);
}

CollectiveModel::CollectiveModel(LibraryConstants library, const NodeLinks& links)
    : library_(std::move(library)), links_(links) {}

CollectiveCost CollectiveModel::cost_of(Protocol protocol, CollectiveKind kind,
                                        const GroupPlacement& group) const {
  const auto constants_of = [&](const RingConstants& ring) {
    return select(ring, protocol == Protocol::simple ? ring.simple : ring.low_latency,
                  group.nodes > 1);
  };
  const StepConstants gather = constants_of(library_.all_gather);
  const StepConstants scatter = constants_of(library_.reduce_scatter);
  StepConstants constants = gather;
  if (kind == CollectiveKind::reduce_scatter) constants = scatter;
  if (kind == CollectiveKind::all_reduce) {
    constants = library_.all_reduce ? constants_of(*library_.all_reduce) : mean(gather, scatter);
  }
  const int steps = ring_step_count(kind, group.ranks);
  return {.fixed = constants.fixed,
          .latency = steps * constants.latency,
          .hops = steps,
          .latency_hides = protocol == Protocol::simple,
          .network_inflation = 1.0 / constants.network_efficiency,
          .node_inflation =
              1.0 / (constants.node_efficiency * usable_port(links_, group.ranks_per_node))};
}

Seconds CollectiveModel::idle_transfer(const CollectiveCost& cost, double ring_bytes,
                                       const GroupPlacement& group) const {
  const double k = group.ranks_per_node;
  const double in_node = cost.node_inflation * ring_bytes / links_.port_bandwidth;
  if (group.nodes == 1) return in_node;
  // A ring crosses a node boundary once; the rings of a group share the NICs of its members.
  const std::int64_t nics =
      ceil_div(std::int64_t{group.ranks_per_node} * links_.nics_per_node, links_.gpus_per_node);
  const double across =
      cost.network_inflation * ring_bytes / (links_.nic_bandwidth * static_cast<double>(nics));
  return std::max(across, in_node * (k - 1) / k);
}

NcclChoice CollectiveModel::all_reduce_choice(Bytes full_bytes, const GroupPlacement& group) const {
  const TuningConstants& tuning = *library_.tuning;
  const int channels =
      std::max(1, tuning.channels_per_node * group.ranks_per_node / links_.gpus_per_node);
  return nccl_choice({.ranks = group.ranks,
                      .nodes = group.nodes,
                      .channels = channels,
                      .node_bandwidth_GBps = tuning.channel_bandwidth_GBps,
                      .network_bandwidth_GBps = tuning.channel_bandwidth_GBps,
                      .architecture = tuning.architecture,
                      .amd_host = tuning.amd_host},
                     CollectiveKind::all_reduce, full_bytes);
}

CollectiveCost CollectiveModel::tree_cost(NcclProtocol protocol,
                                          const GroupPlacement& group) const {
  const bool simple = protocol == NcclProtocol::simple;
  const TreeConstants& tree = *library_.all_reduce_tree;
  const TreeConstants::Protocol& constants = simple ? tree.simple : tree.low_latency;
  // Through every level the data go up once and down once. What is not pipelined moves again in each.
  const double levels = std::log2(group.nodes);
  CollectiveCost cost = cost_of(Protocol::simple, CollectiveKind::all_reduce, group);
  cost.hops = static_cast<int>(2 * std::ceil(levels));
  cost.latency = 2 * levels * constants.hop_latency;
  cost.latency_hides = false;
  cost.network_inflation = (simple ? 1.0 : std::max(1.0, levels)) / constants.network_efficiency;
  return cost;
}

CollectiveCost CollectiveModel::cost(CollectiveKind kind, Bytes full_bytes,
                                     const GroupPlacement& group) const {
  if (group.ranks == 1) return {};
  const bool trees =
      kind == CollectiveKind::all_reduce && group.nodes > 1 && library_.all_reduce_tree;
  if (trees && library_.tuning) {
    const NcclChoice choice = all_reduce_choice(full_bytes, group);
    if (choice.algorithm == NcclAlgorithm::tree) return tree_cost(choice.protocol, group);
    const bool simple = choice.protocol == NcclProtocol::simple;
    return cost_of(simple ? Protocol::simple : Protocol::low_latency, kind, group);
  }
  std::vector<CollectiveCost> choices = {cost_of(Protocol::simple, kind, group),
                                         cost_of(Protocol::low_latency, kind, group)};
  if (trees) choices.push_back(tree_cost(NcclProtocol::simple, group));
  const double bytes = ring_bytes_per_rank(kind, full_bytes, group.ranks);
  return *std::ranges::min_element(choices, {}, [&](const CollectiveCost& choice) {
    return choice.join(idle_transfer(choice, bytes, group));
  });
}

Seconds CollectiveModel::time_alone(CollectiveKind kind, Bytes full_bytes,
                                    const GroupPlacement& group) const {
  if (group.ranks == 1) return 0.0;
  const CollectiveCost chosen = cost(kind, full_bytes, group);
  return chosen.join(
      idle_transfer(chosen, ring_bytes_per_rank(kind, full_bytes, group.ranks), group));
}

}  // namespace fourfold
