#pragma once
// What a collective costs besides moving its bytes: start-up, latency of its steps, protocol overhead.
//
// The bandwidth part is left to whoever knows the links: the simulator lets SimGrid share them between all flows
// (duration T), the analytical model divides bytes by a bandwidth. Both join the parts in the same way:
//
//     time = fixed + hypot(latency, T)     Simple protocol: a step's latency hides behind the previous step's transfer
//     time = fixed + latency + T           LL protocol

#include <filesystem>
#include <string>

#include "core/backend/collective.hpp"

namespace fourfold {

/// How a group lies on the machine.
struct GroupPlacement {
  int ranks = 1;
  int nodes = 1;
  int ranks_per_node = 1;  ///< of this group, on its fullest node
};

struct CollectiveCost {
  Seconds fixed = 0;          ///< t0
  Seconds latency = 0;        ///< steps x latency per step
  bool latency_hides = true;  ///< join by hypot (Simple) or by addition (LL)
  /// Bytes on the wire per payload byte on inter-node and in-node links: a library reaches 1/inflation of a link.
  double network_inflation = 1.0;
  double node_inflation = 1.0;

  /// Total time when the bandwidth part took `transfer`.
  Seconds join(Seconds transfer) const;
};

/// Constants of a collective library on a machine, read from platforms/libraries/NAME.json.
struct LibraryConstants {
  struct Protocol {
    Seconds step_latency_network = 0;  ///< per ring step of a group that spans nodes
    Seconds step_latency_node = 0;     ///< per ring step inside a node
    double network_efficiency = 1.0;   ///< reached fraction of the NIC bandwidth
    double node_efficiency = 1.0;      ///< reached fraction of the in-node port bandwidth
  };
  std::string name;
  Seconds fixed_network = 0, fixed_node = 0;
  Protocol simple, low_latency;
};

LibraryConstants read_library_constants(const std::filesystem::path& file);

class CollectiveModel {
 public:
  /// Bandwidths are those of one NIC and of one GPU's in-node port; they only serve to choose the protocol.
  CollectiveModel(LibraryConstants library, BytesPerSecond nic_bandwidth, BytesPerSecond port_bandwidth);

  /// Chooses the protocol that is fastest on idle links. `full_bytes` as in collective.hpp.
  CollectiveCost cost(CollectiveKind kind, Bytes full_bytes, const GroupPlacement& group) const;

 private:
  LibraryConstants library_;
  BytesPerSecond nic_bandwidth_, port_bandwidth_;
};

}  // namespace fourfold
