#include "core/cost/exchange_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"

namespace fourfold {

ExchangeModel::ExchangeModel(const LibraryConstants& library, const NodeLinks& links)
    : links_(links) {
  if (!library.exchange) {
    throw ConfigError(fmt::format(
        "{}: no constants of send_recv and all_to_all; add \"exchange\" to its library file "
        "(core/cost/library_constants.hpp)",
        library.name));
  }
  constants_ = *library.exchange;
}

BytesPerSecond ExchangeModel::pair_bandwidth() const {
  if (!links_.uneven.empty()) return links_.uneven.ring_bandwidth(0b11);
  return links_.mesh ? links_.port_bandwidth / (links_.gpus_per_node - 1) : links_.port_bandwidth;
}

BytesPerSecond ExchangeModel::nics_bandwidth(const GroupPlacement& group) const {
  const std::int64_t nics =
      ceil_div(std::int64_t{group.ranks_per_node} * links_.nics_per_node, links_.gpus_per_node);
  return links_.nic_bandwidth * static_cast<double>(nics);
}

Seconds ExchangeModel::send_recv(Bytes bytes, const GroupPlacement& group) const {
  if (group.ranks == 1) return 0.0;
  const double size = static_cast<double>(bytes);
  if (group.nodes > 1) {
    return constants_.latency_network +
           size / (constants_.pair_network_efficiency * links_.nic_bandwidth);
  }
  return constants_.latency_node + size / (constants_.pair_node_efficiency * pair_bandwidth());
}

Seconds ExchangeModel::all_to_all(Bytes bytes, const GroupPlacement& group) const {
  if (group.ranks == 1) return 0.0;
  const double p = group.ranks, k = group.ranks_per_node;
  const double size = static_cast<double>(bytes);
  const Seconds in_node =
      (k - 1) / p * size / (constants_.all_node_efficiency * links_.port_bandwidth);
  const Seconds peers = (p - 1) * constants_.peer_latency;
  if (group.nodes == 1) return constants_.latency_node + std::hypot(peers, in_node);
  const Seconds across =
      k * (p - k) / p * size / (constants_.all_network_efficiency * nics_bandwidth(group));
  return constants_.latency_network + std::hypot(peers, std::max(in_node, across));
}

}  // namespace fourfold
