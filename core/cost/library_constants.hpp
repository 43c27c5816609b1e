#pragma once
// Constants of a collective library on a kind of machine, read from platforms/libraries/NAME.json,
// where each has its source.

#include <filesystem>
#include <string>

#include "core/base/units.hpp"

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

/// An all_reduce is a reduce_scatter followed by an all_gather; a broadcast has the constants of
/// the latter.
struct LibraryConstants {
  std::string name;
  RingConstants all_gather, reduce_scatter;
};

/// Reads and checks a library file. Throws ConfigError naming file and key.
LibraryConstants read_library_constants(const std::filesystem::path& file);

}  // namespace fourfold
