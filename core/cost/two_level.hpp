#pragma once
// Two-level collectives (PCCL, "The Big Send-off", axonn-ai): first among the ranks with the same
// place in their nodes, all NICs in parallel, then inside each node, then a kernel that puts the
// blocks in order.
//
//     all_gather of S bytes on n nodes of k
//         all_gather of S/k on n ranks, one a node, k such groups side by side
//       + all_gather of S on the k ranks of a node
//       + 2 S bytes of memory for the order
//     reduce_scatter    the same backwards
//     all_reduce        a reduce_scatter and an all_gather
//
// log n rather than n steps are not assumed: the outer level is a ring too. Fewer steps make it
// faster than a flat ring for small messages on many nodes.

#include "core/cost/collective_model.hpp"

namespace fourfold {

/// On idle links. `memory_bandwidth` of a GPU. Throws ConfigError for a broadcast, and for a group
/// that is not several full nodes' share: ranks = nodes x ranks_per_node, 2 nodes and 2 ranks a
/// node at least.
Seconds two_level_time(const CollectiveModel& model, const NodeLinks& links,
                       BytesPerSecond memory_bandwidth, CollectiveKind kind, Bytes full_bytes,
                       const GroupPlacement& group);

}  // namespace fourfold
