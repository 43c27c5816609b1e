#pragma once
// Moves the bytes of ring collectives over the network: as macro-flows, or step by step.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/engine/network.hpp"
#include "sim/engine/ring.hpp"
#include "sim/simulation.hpp"

namespace fourfold::sim {

/// What one collective asks of its ring.
struct RingTransfer {
  double bytes = 0;  ///< payload that each member sends
  int steps = 1;     ///< p - 1, or 2 (p - 1) for all_reduce
  CollectiveCost cost;
};

class RingTransport {
 public:
  /// Called when a collective has ended at `end`, which is not before the network's present time.
  using Done = std::function<void(int ring, Seconds end)>;

  RingTransport() = default;
  virtual ~RingTransport() = default;
  RingTransport(const RingTransport&) = delete;
  RingTransport& operator=(const RingTransport&) = delete;

  /// Starts a collective on a ring, now; a ring carries one at a time.
  virtual void start(int ring, const RingTransfer& transfer) = 0;

  std::int64_t flows() const { return flows_; }

 protected:
  std::int64_t flows_ = 0;
};

/// One flow for all hops that carry the same bytes. `prune` leaves links out that cannot matter
/// (link_pruning.hpp).
std::unique_ptr<RingTransport> make_macro_flow_transport(const std::vector<Ring>& rings, bool prune,
                                                         Network& network,
                                                         RingTransport::Done done);

/// Every step of every hop its own flow: a member sends step s once it has sent step s - 1 and
/// received the piece that the member before it sent in step s - 1. Each step first waits for its
/// share of the latency.
std::unique_ptr<RingTransport> make_step_transport(const std::vector<Ring>& rings,
                                                   const Machine& machine, Network& network,
                                                   RingTransport::Done done);

}  // namespace fourfold::sim
