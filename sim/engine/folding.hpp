#pragma once
// Folding: ranks in symmetric places of the machine behave alike, so one of them is replayed for all.
//
// What may be folded is derived, not assumed. Ranks, rings, flows and links are the vertices of a graph: a rank is
// a member of rings, a ring has flows, a flow uses links (some of them several times). They begin with a colour each:
// links by bandwidth, rings by communicator, size and latency, flows by share. Colours are refined until nothing
// changes: a vertex's new colour is its old one with the multiset of its neighbours' (1-dimensional Weisfeiler-Leman).
//
// The resulting partition is equitable: all rings of a class have equally many members of every class of ranks, all flows
// of a class use equally many links of every class, and on all links of a class lie equally many flows of every class.
// Suppose that up to some moment all members of each class have done the same at the same times. Then the flows in
// flight are the same on every link of a class; the max-min fair rates, being unique, are equal within a class; so the
// next ring to finish does so together with all rings of its class, and their members, of equal classes, walk on
// alike. By induction it holds for the whole step. Hence it suffices to replay one rank of each class, one ring of each
// class, and one link of each class with all the flows that lie on it: exact up to rounding, contention included.
//
// Three things are used besides: what a rank does depends on its class and its rings alone, not on its number; a ring's
// flows depend on which links its hops use, not on their order; and which of several simultaneous events is handled first
// changes nothing. Colours are hashes of 64 bits: two of n different ones agree with a probability of n^2 / 2^65, 1e-9 for
// 200,000 ranks, rings and links. Tests and experiments/folding compare with worlds that are replayed in full.
//
// A slow node, uneven links or a partly filled group refine into classes of their own by themselves, down to no folding.

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/engine/communicators.hpp"

namespace fourfold::sim {

struct Folding {
  /// The world of the classes: rank i stands for `ranks_in_class[i]` ranks. A ring lists the classes of its members,
  /// each once; its placement is that of the true ring. Links of flows carry what the representative link carries.
  Communicators communicators;
  std::vector<int> class_of_rank;
  std::vector<int> ranks_in_class;
  std::vector<int> representative;       ///< of each class: its first rank
  std::vector<int> members_in_ring_class;  ///< for each folded ring the ranks of all true rings it stands for

  int classes() const { return static_cast<int>(ranks_in_class.size()); }
};

/// `rank_kinds`: ranks of different kinds (another compute speed) never fold together; empty when all are equal.
Folding fold(const Communicators& communicators, int world_size, const std::vector<Link>& links,
             const std::vector<std::uint64_t>& rank_kinds = {});

/// Every rank a class of its own.
Folding no_folding(const Communicators& communicators, int world_size);

}  // namespace fourfold::sim
