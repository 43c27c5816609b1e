#include "core/cost/two_level.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold {

Seconds two_level_time(const CollectiveModel& model, const NodeLinks& links,
                       BytesPerSecond memory_bandwidth, CollectiveKind kind, Bytes full_bytes,
                       const GroupPlacement& group) {
  const int nodes = group.nodes, k = group.ranks_per_node;
  if (kind == CollectiveKind::broadcast || nodes < 2 || k < 2 || group.ranks != nodes * k) {
    throw ConfigError(fmt::format(
        "algorithm hierarchical: exists for all_gather, reduce_scatter and all_reduce on at least "
        "two nodes with two GPUs or more, equally many on each; not for {} on {} GPUs of {} nodes",
        name_of(kind), group.ranks, nodes));
  }
  if (kind == CollectiveKind::all_reduce) {
    return two_level_time(model, links, memory_bandwidth, CollectiveKind::reduce_scatter,
                          full_bytes, group) +
           two_level_time(model, links, memory_bandwidth, CollectiveKind::all_gather, full_bytes,
                          group);
  }
  const GroupPlacement outer = {.ranks = nodes, .nodes = nodes, .ranks_per_node = 1};
  const Bytes outer_bytes = full_bytes / k;
  const CollectiveCost cost = model.cost(kind, outer_bytes, outer);
  // Every member has its share of the NICs, which may be less than one.
  const BytesPerSecond nic_share = links.nic_bandwidth * links.nics_per_node / links.gpus_per_node;
  const Seconds outer_time =
      cost.join(cost.network_inflation * ring_bytes_per_rank(kind, outer_bytes, nodes) / nic_share);
  GroupPlacement inner = group;
  inner.ranks = k;
  inner.nodes = 1;
  return outer_time + model.time_alone(kind, full_bytes, inner) +
         2 * static_cast<double>(full_bytes) / memory_bandwidth;
}

}  // namespace fourfold
