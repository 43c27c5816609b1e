#include "core/analytic/comm_model.hpp"

#include <algorithm>

#include "core/analytic/group_placement.hpp"
#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold {

std::string_view name_of(CommVariant variant) {
  switch (variant) {
    case CommVariant::paper:
      return "paper";
    case CommVariant::scripted:
      return "scripted";
    case CommVariant::fitted:
      return "fitted";
  }
  return "?";
}

CommVariant parse_comm_variant(std::string_view text) {
  for (const CommVariant variant :
       {CommVariant::paper, CommVariant::scripted, CommVariant::fitted}) {
    if (text == name_of(variant)) return variant;
  }
  throw ConfigError(unknown_name_message("model variant", text, {"paper", "scripted", "fitted"}));
}

std::vector<LinearShape> block_layers(const GptConfig& model, const TrainConfig& train) {
  const double rows = static_cast<double>(train.batch) * static_cast<double>(train.sequence) /
                      train.grid.size(Axis::data);
  const double h = static_cast<double>(model.hidden);
  const double f = static_cast<double>(model.ffn);
  return {{rows, h, 3 * h, Orientation::normal},
          {rows, h, h, Orientation::transposed},
          {rows, h, f, Orientation::normal},
          {rows, f, h, Orientation::transposed}};
}

AxisTimes communication_time(std::span<const LinearShape> layers, std::int64_t blocks,
                             const TrainConfig& train, const CommCounts& counts,
                             const BandwidthTable& bandwidths) {
  const double micro_batches = static_cast<double>(train.micro_batches());
  AxisTimes block;
  for (const LinearShape& layer : layers) {
    block += communication_time(layer, train.grid, micro_batches, counts, bandwidths);
  }
  const double count = static_cast<double>(blocks);
  return {count * block.x, count * block.y, count * block.z, count * block.data};
}

CollectiveTime FittedCollectives::time(CollectiveKind kind, Bytes full_bytes, AxisSet axes) const {
  const GroupPlacement group = place_groups(axes, grid_, links_);
  if (group.ranks == 1) return {};
  const CollectiveCost cost = model_.cost(kind, full_bytes, group);
  const Seconds moving = transfer(cost, ring_bytes_per_rank(kind, full_bytes, group.ranks), group);
  return {cost.join(moving), moving, group.nodes > 1};
}

Seconds FittedCollectives::transfer(const CollectiveCost& cost, double ring_bytes,
                                    const GroupPlacement& group) const {
  const double members = group.ranks_per_node;
  const Seconds in_node = cost.node_inflation * ring_bytes / links_.port_bandwidth;
  if (group.nodes == 1) return in_node;
  // The node's other GPUs belong to sibling groups, so that this one has its members' share of the
  // NICs.
  const BytesPerSecond nics =
      links_.nic_bandwidth * links_.nics_per_node * members / links_.gpus_per_node;
  return std::max(cost.network_inflation * ring_bytes / nics, in_node * (members - 1) / members);
}

}  // namespace fourfold
