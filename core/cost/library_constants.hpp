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
  };
  Protocol simple, low_latency;
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
  std::optional<RingConstants> all_reduce = std::nullopt;
  std::optional<TreeConstants> all_reduce_tree = std::nullopt;
  std::optional<TuningConstants> tuning = std::nullopt;
};

/// Reads and checks a library file. Throws ConfigError naming file and key.
LibraryConstants read_library_constants(const std::filesystem::path& file);

}  // namespace fourfold
