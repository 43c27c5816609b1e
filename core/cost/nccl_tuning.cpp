#include "core/cost/nccl_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold {
namespace {

using PerProtocol = std::array<double, 3>;   // LL, LL128, Simple
using PerNodeCount = std::array<double, 3>;  // 1, 2, more nodes

constexpr PerProtocol kTreeBaseLatency = {6.8, 14.0, 0.0};
constexpr PerProtocol kRingBaseLatency = {6.6, 14.0, 8.4};
constexpr PerProtocol kRingNvlinkLatency = {0.6, 1.9, 3.4};
constexpr PerProtocol kTreeNvlinkLatency = {0.6, 1.25, 28.0};
constexpr PerProtocol kRingNetworkLatency = {2.7, 4.0, 14.0};
constexpr PerProtocol kTreeNetworkLatency = {5.0, 8.5, 28.0};

// Caps in GB/s by architecture: volta, ampere, hopper, blackwell. Between nodes the cap of LL goes by the host's vendor.
constexpr std::array<PerNodeCount, 4> kLargestLl = {
    {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
constexpr std::array<PerNodeCount, 4> kLargestTree = {
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr std::array<double, 4> kLargestRingLl128 = {20, 20, 36.7, 40};
constexpr std::array<PerNodeCount, 4> kLargestTreeLl128 = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};

// Factors on a tree's bandwidth for messages of 64 B, 128 B, 256 B, ...
constexpr std::array<std::array<double, 23>, 3> kTreeCorrection = {
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};

// Simple rings between nodes take this much longer once a rank's piece is at least this long.
constexpr double kPlateauBytes = 64;
constexpr double kPlateauFactorOfVolta = 1.9;
constexpr double kPlateauFactor = 1.4;

std::size_t node_index(const NcclCommunicator& c) {
  return static_cast<std::size_t>(std::min(c.nodes, 3) - 1);
}

std::size_t architecture_index(const NcclCommunicator& c) {
  return static_cast<std::size_t>(c.architecture);
}

double largest_ll(const NcclCommunicator& c) {
  const std::size_t host = c.amd_host ? 1 : 0;
  return kLargestLl[c.nodes == 1 ? architecture_index(c) : host][node_index(c)];
}

int steps(CollectiveKind kind, int ranks) {
  return kind == CollectiveKind::broadcast ? ranks : ring_step_count(kind, ranks);
}

double ring_latency(const NcclCommunicator& c, CollectiveKind kind, std::size_t protocol) {
  const int all = steps(kind, c.ranks);
  int network = 0;
  double overhead = 0;
  if (c.nodes > 1) {
    network = kind == CollectiveKind::all_reduce ? 2 * c.nodes : c.nodes - 1;
    overhead = (c.amd_host ? 2.0 : 1.0) * (protocol == 2 ? 3.0 : 1.0);
  }
  return kRingBaseLatency[protocol] +
         (all - network) * std::max(kRingNvlinkLatency[protocol], overhead) +
         network * kRingNetworkLatency[protocol];
}

double tree_latency(const NcclCommunicator& c, std::size_t protocol) {
  const int ranks_per_node = c.ranks / c.nodes;
  return kTreeBaseLatency[protocol] + 2 * ((ranks_per_node - 1) * kTreeNvlinkLatency[protocol] +
                                           std::log2(c.nodes) * kTreeNetworkLatency[protocol]);
}

double channels_bandwidth(const NcclCommunicator& c) {
  return c.channels * (c.nodes <= 2 ? c.node_bandwidth_GBps : c.network_bandwidth_GBps);
}

double ring_bandwidth(const NcclCommunicator& c, CollectiveKind kind, NcclProtocol protocol) {
  double bus = channels_bandwidth(c);
  if (protocol == NcclProtocol::ll) bus = std::min(largest_ll(c), 0.5 * bus);
  if (protocol == NcclProtocol::ll128) {
    const double share = c.ranks == c.nodes ? 0.7 : 0.92;
    bus = std::min(share * bus, c.channels * kLargestRingLl128[architecture_index(c)]);
  }
  return bus * c.ranks / steps(kind, c.ranks);
}

double tree_bandwidth(const NcclCommunicator& c, NcclProtocol protocol) {
  const std::size_t row = architecture_index(c);
  double bus =
      std::min(0.92 * channels_bandwidth(c), c.channels * kLargestTree[row][node_index(c)]);
  if (protocol == NcclProtocol::ll) bus = std::min(bus / 3.8, largest_ll(c));
  if (protocol == NcclProtocol::ll128) {
    bus = std::min(bus * (c.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                   c.channels * kLargestTreeLl128[row][node_index(c)]);
  }
  return 0.5 * (c.nodes > 1 ? 0.85 * bus : bus);
}

}  // namespace

std::string_view name_of(NcclProtocol protocol) {
  switch (protocol) {
    case NcclProtocol::ll:
      return "LL";
    case NcclProtocol::ll128:
      return "LL128";
    case NcclProtocol::simple:
      return "Simple";
  }
  return "?";
}

NcclArchitecture parse_nccl_architecture(std::string_view text) {
  static const std::vector<std::string> names = {"volta", "ampere", "hopper", "blackwell"};
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) throw ConfigError(unknown_name_message("architecture", text, names));
  return static_cast<NcclArchitecture>(found - names.begin());
}

double nccl_latency_us(const NcclCommunicator& communicator, CollectiveKind kind,
                       NcclAlgorithm algorithm, NcclProtocol protocol) {
  const auto index = static_cast<std::size_t>(protocol);
  return algorithm == NcclAlgorithm::ring ? ring_latency(communicator, kind, index)
                                          : tree_latency(communicator, index);
}

double nccl_bandwidth_GBps(const NcclCommunicator& communicator, CollectiveKind kind,
                           NcclAlgorithm algorithm, NcclProtocol protocol) {
  if (algorithm == NcclAlgorithm::ring) return ring_bandwidth(communicator, kind, protocol);
  return kind == CollectiveKind::all_reduce ? tree_bandwidth(communicator, protocol) : 0.0;
}

double nccl_time_us(const NcclCommunicator& communicator, CollectiveKind kind,
                    NcclAlgorithm algorithm, NcclProtocol protocol, Bytes full_bytes) {
  double bandwidth = nccl_bandwidth_GBps(communicator, kind, algorithm, protocol);
  if (bandwidth == 0) return std::numeric_limits<double>::infinity();
  double latency = nccl_latency_us(communicator, kind, algorithm, protocol);
  const double bytes = static_cast<double>(full_bytes);
  if (algorithm == NcclAlgorithm::tree) {
    const auto& correction = kTreeCorrection[static_cast<std::size_t>(protocol)];
    const auto size = static_cast<std::size_t>(std::log2(std::max(bytes / 64, 1.0)));
    if (size < correction.size()) bandwidth *= correction[size];
  } else if (protocol == NcclProtocol::simple && kind == CollectiveKind::all_reduce &&
             communicator.nodes > 1 &&
             bytes / (communicator.channels * communicator.ranks) >= kPlateauBytes) {
    const bool volta = communicator.architecture == NcclArchitecture::volta;
    latency *= volta ? kPlateauFactorOfVolta : kPlateauFactor;
  }
  return latency + bytes / (1e3 * bandwidth);
}

NcclChoice nccl_choice(const NcclCommunicator& communicator, CollectiveKind kind,
                       Bytes full_bytes) {
  NcclChoice best;
  double shortest = std::numeric_limits<double>::infinity();
  for (const NcclAlgorithm algorithm : {NcclAlgorithm::ring, NcclAlgorithm::tree}) {
    for (const NcclProtocol protocol :
         {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
      if (protocol == NcclProtocol::ll128 && !communicator.ll128) continue;
      const double time = nccl_time_us(communicator, kind, algorithm, protocol, full_bytes);
      if (time >= shortest) continue;
      shortest = time;
      best = {algorithm, protocol};
    }
  }
  return best;
}

}  // namespace fourfold
