#pragma once
// Constants of a collective library on a kind of machine, read from platforms/libraries/NAME.json,
// where each has its source.

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/units.hpp"
#include "core/cost/nccl_tuning.hpp"

namespace fourfold {

/// How a library moves the pieces of a ring.
struct ProtocolConstants {
  Seconds step_latency_network = 0;  ///< per ring step of a group that spans nodes
  Seconds step_latency_node = 0;     ///< per ring step of a group inside a node
  double network_efficiency = 1.0;   ///< reached fraction of the NIC bandwidth
  double node_efficiency = 1.0;      ///< reached fraction of the in-node links' bandwidth
};

struct RingConstants {
  Seconds fixed_network = 0, fixed_node = 0;  ///< t0: start and end of a collective
  ProtocolConstants simple;                   ///< large pieces; latency hides behind the transfer
  ProtocolConstants low_latency;              ///< NCCL's LL: flags in the data, low bandwidth
};

/// How a library moves data up and down a double binary tree over the nodes. Simple pipelines the levels; LL stores a
/// whole buffer at each level before it goes on.
struct TreeConstants {
  struct Protocol {
    Seconds hop_latency = 0;          ///< of a level, once up and once down
    double network_efficiency = 1.0;  ///< reached fraction of the NIC bandwidth
    double two_node_efficiency =
        1.0;  ///< the same on two nodes, whose tree has no node with two children
  };
  Protocol simple, low_latency;
};

/// How a library lets NVSwitches reduce and multicast (NVLS): for an all_reduce on the GPUs of one node, and for the in-node
/// part of trees over several.
struct NvlsConstants {
  Seconds latency = 0;  ///< in and out of the switch
  double node_efficiency =
      1.0;  ///< reached fraction of a ring's bandwidth on the same ports: may exceed 1
};

/// Messages between pairs (exchange_model.hpp): what one pair reaches of a NIC or link, and what all pairs together reach of
/// all NICs or ports.
struct ExchangeConstants {
  Seconds latency_node = 0, latency_network = 0;  ///< of one message
  Seconds peer_latency = 0;                       ///< of an all_to_all, for each further rank
  double pair_node_efficiency = 1.0, pair_network_efficiency = 1.0;
  double all_node_efficiency = 1.0, all_network_efficiency = 1.0;
};

/// What NCCL's own model knows of a machine, by which it chooses between rings and trees.
struct TuningConstants {
  NcclArchitecture architecture = NcclArchitecture::ampere;
  bool amd_host = false;
  int channels_per_node = 1;             ///< with all GPUs of a node; in proportion with fewer
  double channel_bandwidth_GBps = 24.0;  ///< of one channel, as NCCL's search assumes it
};

/// A broadcast has the constants of all_gather. Without constants of its own an all_reduce is a reduce_scatter followed
/// by an all_gather. With constants for trees, NCCL's choice is followed if its constants are there too; otherwise the
/// fastest algorithm is taken.
struct LibraryConstants {
  std::string name;
  RingConstants all_gather, reduce_scatter;
  /// Where GPUs of a node are joined by links of different widths: the reached fraction of a link's bandwidth, and what
  /// is left of that between GPUs without a link of their own.
  double link_efficiency = 1.0, detour_efficiency = 1.0;
  std::optional<RingConstants> all_reduce = std::nullopt;
  std::optional<TreeConstants> all_reduce_tree = std::nullopt;
  std::optional<NvlsConstants> nvls = std::nullopt;
  std::optional<ExchangeConstants> exchange = std::nullopt;
  std::optional<TuningConstants> tuning = std::nullopt;
};

/// Reads and checks a library file. Throws ConfigError naming file and key.
LibraryConstants read_library_constants(const std::filesystem::path& file);

}  // namespace fourfold
