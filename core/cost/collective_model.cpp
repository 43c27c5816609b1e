#include "core/cost/collective_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"
#include "core/base/names.hpp"

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

}  // namespace

std::string_view name_of(CollectiveAlgorithm algorithm) {
  switch (algorithm) {
    case CollectiveAlgorithm::ring:
      return "ring";
    case CollectiveAlgorithm::tree:
      return "tree";
    case CollectiveAlgorithm::nvls:
      return "nvls";
  }
  return "?";
}

CollectiveAlgorithm parse_collective_algorithm(std::string_view text) {
  std::vector<std::string> known;
  for (const CollectiveAlgorithm algorithm :
       {CollectiveAlgorithm::ring, CollectiveAlgorithm::tree, CollectiveAlgorithm::nvls}) {
    if (text == name_of(algorithm)) return algorithm;
    known.emplace_back(name_of(algorithm));
  }
  throw ConfigError(unknown_name_message("algorithm", text, known));
}

Seconds CollectiveCost::join(Seconds transfer) const {
  return fixed + (latency_hides ? std::hypot(latency, transfer) : latency + transfer);
}

CollectiveModel::CollectiveModel(LibraryConstants library, const NodeLinks& links)
    : library_(std::move(library)), links_(links) {}

double CollectiveModel::usable_port(const RingConstants& ring, const GroupPlacement& group) const {
  const int k = group.ranks_per_node;
  if (k < 2) return 1.0;
  if (!links_.uneven.empty()) {
    const BytesPerSecond wires = group.ring_bandwidth > 0
                                     ? group.ring_bandwidth
                                     : links_.uneven.ring_bandwidth((1U << k) - 1U);
    const BytesPerSecond by_port = ring.simple.node_efficiency * links_.port_bandwidth;
    return std::min(1.0, library_.link_efficiency * wires / by_port);
  }
  if (!links_.mesh || links_.gpus_per_node < 3) return 1.0;
  return static_cast<double>(k - 1) / (links_.gpus_per_node - 1);
}

CollectiveCost CollectiveModel::ring_cost(NcclProtocol protocol, CollectiveKind kind,
                                          const GroupPlacement& group) const {
  const bool simple = protocol == NcclProtocol::simple;
  const auto constants_of = [&](const RingConstants& ring) {
    StepConstants constants =
        select(ring, simple ? ring.simple : ring.low_latency, group.nodes > 1);
    constants.node_efficiency *= usable_port(ring, group);
    return constants;
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
          .latency_hides = simple,
          .network_inflation = 1.0 / constants.network_efficiency,
          .node_inflation = 1.0 / constants.node_efficiency,
          .algorithm = CollectiveAlgorithm::ring,
          .protocol = protocol};
}

CollectiveCost CollectiveModel::nvls_cost(const GroupPlacement& group) const {
  CollectiveCost cost = ring_cost(NcclProtocol::simple, CollectiveKind::all_reduce, group);
  cost.latency = library_.nvls->latency;
  cost.hops = 2;
  cost.node_inflation = 1 / library_.nvls->node_efficiency;
  cost.algorithm = CollectiveAlgorithm::nvls;
  return cost;
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
  const double passes = simple ? 1.0 : std::max(1.0, levels);
  // 2 S for a ring's 2 (p-1)/p S.
  const double bytes = static_cast<double>(group.ranks) / (group.ranks - 1);
  CollectiveCost cost = ring_cost(NcclProtocol::simple, CollectiveKind::all_reduce, group);
  cost.hops = static_cast<int>(2 * std::ceil(levels));
  cost.latency = 2 * levels * constants.hop_latency;
  cost.latency_hides = false;
  cost.network_inflation = group.nodes == 2 ? 0.5 * bytes / constants.two_node_efficiency
                                            : passes * bytes / constants.network_efficiency;
  if (library_.nvls) cost.node_inflation = 1 / library_.nvls->node_efficiency;
  cost.node_inflation *= bytes;
  cost.algorithm = CollectiveAlgorithm::tree;
  cost.protocol = protocol;
  return cost;
}

std::vector<CollectiveCost> CollectiveModel::choices(CollectiveKind kind,
                                                     const GroupPlacement& group) const {
  std::vector<CollectiveCost> choices = {ring_cost(NcclProtocol::simple, kind, group),
                                         ring_cost(NcclProtocol::ll, kind, group)};
  if (kind != CollectiveKind::all_reduce) return choices;
  if (group.nodes > 1 && library_.all_reduce_tree) {
    choices.push_back(tree_cost(NcclProtocol::simple, group));
    choices.push_back(tree_cost(NcclProtocol::ll, group));
  }
  if (group.nodes == 1 && library_.nvls) choices.push_back(nvls_cost(group));
  return choices;
}

CollectiveCost CollectiveModel::fastest(const std::vector<CollectiveCost>& choices,
                                        CollectiveKind kind, Bytes full_bytes,
                                        const GroupPlacement& group) const {
  return *std::ranges::min_element(choices, {}, [&](const CollectiveCost& choice) {
    return time_alone(choice, kind, full_bytes, group);
  });
}

CollectiveCost CollectiveModel::cost(CollectiveKind kind, Bytes full_bytes,
                                     const GroupPlacement& group) const {
  if (group.ranks == 1) return {};
  // On two nodes NCCL's search counts the links of trees differently; its choices were the fastest.
  const bool follows_nccl = kind == CollectiveKind::all_reduce && group.nodes > 2 &&
                            library_.all_reduce_tree && library_.tuning;
  if (!follows_nccl) return fastest(choices(kind, group), kind, full_bytes, group);
  const NcclChoice choice = all_reduce_choice(full_bytes, group);
  return choice.algorithm == NcclAlgorithm::tree ? tree_cost(choice.protocol, group)
                                                 : ring_cost(choice.protocol, kind, group);
}

CollectiveCost CollectiveModel::cost(CollectiveKind kind, Bytes full_bytes,
                                     const GroupPlacement& group,
                                     CollectiveAlgorithm algorithm) const {
  if (group.ranks == 1) return {};
  std::vector<CollectiveCost> possible = choices(kind, group);
  std::erase_if(possible,
                [&](const CollectiveCost& choice) { return choice.algorithm != algorithm; });
  if (possible.empty()) {
    throw ConfigError(
        fmt::format("algorithm {}: {} has no constants of it for {} on {} node{}; choose another",
                    name_of(algorithm), library_.name, name_of(kind), group.nodes,
                    group.nodes == 1 ? "" : "s"));
  }
  return fastest(possible, kind, full_bytes, group);
}

Seconds CollectiveModel::time_alone(const CollectiveCost& cost, CollectiveKind kind,
                                    Bytes full_bytes, const GroupPlacement& group) const {
  if (group.ranks == 1) return 0.0;
  return cost.join(idle_transfer(cost, ring_bytes_per_rank(kind, full_bytes, group.ranks), group));
}

Seconds CollectiveModel::time_alone(CollectiveKind kind, Bytes full_bytes,
                                    const GroupPlacement& group) const {
  return time_alone(cost(kind, full_bytes, group), kind, full_bytes, group);
}

}  // namespace fourfold
