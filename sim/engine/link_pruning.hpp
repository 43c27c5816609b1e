#pragma once
// Links that cannot change any flow's rate need not be told to SimGrid, whose cost grows with the
// links of a flow.
//
// Let f be the flows that may be in flight together, m(f,l) how often flow f is listed on link l,
// B(l) bandwidths. The max-min fair rates depend only on the set of feasible rates { r : for all l,
// sum over f of m(f,l) r(f) <= B(l) }, so a link may go when the remaining ones imply its
// condition. Two such cases are common and cheap to find:
//
// 1. Of links with the same m(.,l) only the slowest matters: a NIC's sending and receiving side in
// a ring.
// 2. A flow is never faster than R(f) = min over l of B(l)/m(f,l), and keeps the link that says so.
// Any other link
//    with sum over f of m(f,l) R(f) <= B(l) can never be full: a fabric that is wide enough for all
//    NICs below it.

#include <vector>

#include "sim/engine/network.hpp"

namespace fourfold::sim {

/// For each flow (its links, with repetitions) the links that matter, repetitions included, in
/// ascending order. `flows` must hold all flows that may be in flight at the same time.
std::vector<std::vector<LinkId>> prune_links(const std::vector<std::vector<LinkId>>& flows,
                                             const std::vector<Link>& links);

}  // namespace fourfold::sim
