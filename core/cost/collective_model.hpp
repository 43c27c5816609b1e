#pragma once
// What a collective costs besides moving its bytes: start-up, latency of its steps, protocol
// overhead.
//
// The bandwidth part is left to whoever knows the links: the simulator lets SimGrid share them
// between all flows (duration T), the analytical model divides bytes by a bandwidth. Both join the
// parts in the same way:
//
//     time = fixed + hypot(latency, T)     Simple protocol: a step's latency hides behind the
//     previous step's transfer time = fixed + latency + T           LL protocol
//
// latency = steps x latency of a step; a ring of p ranks makes p - 1 steps, 2 (p - 1) for
// all_reduce. Of the two protocols the one is taken that is faster on idle links. The form is
// fitted to measurements: core/cost/README.md.
//
// Where the library has constants for it, an all_reduce between more than two nodes takes the
// algorithm that NCCL would choose (nccl_tuning.hpp). A tree over n nodes has log2 n levels, passed
// upwards and downwards: latency = 2 log2 n x latency of a level. Of the two trees that share the
// S bytes of the buffer, every node is a leaf in one and has two children in the other, so it sends
// 2 S, a ring's 2 (p-1)/p S and a little more; with two nodes neither has two children, and each
// sends S, which is why trees seem to exceed the NICs there. LL moves the bytes again on each level.
//
// NVLS lets the switches of a node reduce and multicast: an all_reduce inside a node in one go
// instead of 2 (p-1) steps, and the in-node part of a tree.

#include <string_view>
#include <vector>

#include "core/backend/collective.hpp"
#include "core/cost/gpu_mesh.hpp"
#include "core/cost/library_constants.hpp"

namespace fourfold {

/// How a group lies on the machine.
struct GroupPlacement {
  int ranks = 1;
  int nodes = 1;
  int ranks_per_node = 1;  ///< of this group, on its fullest node
  /// In an uneven mesh: what a ring over the members on that node reaches by the links' own width
  /// (GpuMesh); 0 for the first GPUs of the node.
  BytesPerSecond ring_bandwidth = 0;
};

/// The links of a node, per direction.
struct NodeLinks {
  BytesPerSecond nic_bandwidth = 0;   ///< of one NIC
  BytesPerSecond port_bandwidth = 0;  ///< of all in-node links of one GPU together
  int gpus_per_node = 1;
  int nics_per_node = 1;
  /// Each pair of GPUs has links of its own, so that k of the node's g GPUs use (k-1)/(g-1) of
  /// their ports; otherwise a switch lets any two GPUs use all of theirs.
  bool mesh = false;
  /// The links of each pair where they are of different widths, instead of the above; else empty.
  GpuMesh uneven = {};
};

enum class CollectiveAlgorithm : std::uint8_t { ring, tree, nvls };
std::string_view name_of(CollectiveAlgorithm algorithm);
/// Throws ConfigError.
CollectiveAlgorithm parse_collective_algorithm(std::string_view text);

struct CollectiveCost {
  Seconds fixed = 0;    ///< t0
  Seconds latency = 0;  ///< steps x latency per step
  int hops = 0;  ///< one after the other: the steps of a ring, the levels of a tree up and down
  bool latency_hides = true;  ///< join by hypot (Simple) or by addition (LL)
  /// Bytes on the wire per payload byte of a ring on inter-node and in-node links: a library reaches
  /// 1/inflation of a link.
  double network_inflation = 1.0;
  double node_inflation = 1.0;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;

  /// Total time when the bandwidth part took `transfer`.
  Seconds join(Seconds transfer) const;
};

class CollectiveModel {
 public:
  CollectiveModel(LibraryConstants library, const NodeLinks& links);

  /// Chooses algorithm and protocol as the library does, or else what is fastest on idle links.
  /// `full_bytes` as in collective.hpp. A group of one costs nothing.
  CollectiveCost cost(CollectiveKind kind, Bytes full_bytes, const GroupPlacement& group) const;
  /// The same with the algorithm given. Throws ConfigError where the library has none such for this
  /// collective and group.
  CollectiveCost cost(CollectiveKind kind, Bytes full_bytes, const GroupPlacement& group,
                      CollectiveAlgorithm algorithm) const;

  /// Total time of `cost` on idle links, no other group being active.
  Seconds time_alone(const CollectiveCost& cost, CollectiveKind kind, Bytes full_bytes,
                     const GroupPlacement& group) const;
  Seconds time_alone(CollectiveKind kind, Bytes full_bytes, const GroupPlacement& group) const;

 private:
  /// Every algorithm and protocol with constants.
  std::vector<CollectiveCost> choices(CollectiveKind kind, const GroupPlacement& group) const;
  CollectiveCost fastest(const std::vector<CollectiveCost>& choices, CollectiveKind kind,
                         Bytes full_bytes, const GroupPlacement& group) const;
  NcclChoice all_reduce_choice(Bytes full_bytes, const GroupPlacement& group) const;
  CollectiveCost ring_cost(NcclProtocol protocol, CollectiveKind kind,
                           const GroupPlacement& group) const;
  CollectiveCost tree_cost(NcclProtocol protocol, const GroupPlacement& group) const;
  CollectiveCost nvls_cost(const GroupPlacement& group) const;
  /// The part of their ports that the members on a node can use among themselves.
  double usable_port(const RingConstants& ring, const GroupPlacement& group) const;
  Seconds idle_transfer(const CollectiveCost& cost, double ring_bytes,
                        const GroupPlacement& group) const;

  LibraryConstants library_;
  NodeLinks links_;
};

}  // namespace fourfold
