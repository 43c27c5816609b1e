#pragma once
// How a ring collective of one process group lies on the machine.
//
// NCCL's rings (src/graph of NVIDIA/nccl): a ring visits the members of a node one after the other
// and crosses each node boundary once. Several rings (channels) run side by side; channel c enters
// and leaves a node with k members through the NIC of its member c mod k, so that all NICs carry
// the same. When every member sends V bytes:
//
//     inside a node, member i -> i + 1 (cyclic):    (k-1)/k V     V when the whole group lies on
//     one node over the NIC of each member:                   V/k
//
//   nodes of 4 GPUs, group 0 1 4 5 (k = 2):       node 0            node 1
//     channel 0, V/2:                             0 -> 1 ---------> 4 -> 5 ---> back to 0     over
//     the NICs of 0 and 4 channel 1, V/2:                             1 -> 0 ---------> 5 -> 4 --->
//     back to 1     over the NICs of 1 and 5
//
// All hops of a ring advance together, a step at a time, so its slowest link sets the pace of all
// of them. Hops that carry the same number of bytes therefore make one flow over the union of their
// links (a macro-flow).

#include <vector>

#include "core/cost/collective_model.hpp"
#include "core/grid/process_group.hpp"
#include "sim/engine/network.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {

/// Part of a ring whose hops all carry `share` of the bytes that each member sends.
struct RingFlow {
  bool in_node = true;  ///< over in-node ports, else over the NICs
  double share = 0;
  std::vector<std::vector<LinkId>> hops;  ///< the links of each hop
};

/// The links of all hops; a link used by k hops is listed k times.
std::vector<LinkId> union_of_links(const RingFlow& flow);

/// One hop of one channel, for the step-by-step replay.
struct RingHop {
  bool in_node = true;
  Path path;
};

struct Ring {
  std::vector<int> members;
  GroupPlacement placement;
  Seconds hop_latency = 0;  ///< of the slowest hop
  std::vector<RingFlow> flows;
};

/// Ring over `group` with rank r on GPU r of `machine`. A broadcast is taken for a closed ring. Where
/// nodes hold different numbers of members, a boundary is crossed as the fuller node does it.
Ring make_ring(const ProcessGroup& group, const Machine& machine, const Network& network);

/// The channels of the ring, each with one hop for every member, in ring order; every channel
/// carries the same share.
std::vector<std::vector<RingHop>> ring_channels(const Ring& ring, const Machine& machine,
                                                const Network& network);

}  // namespace fourfold::sim
