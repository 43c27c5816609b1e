#include <algorithm>
#include <utility>

#include "sim/engine/link_pruning.hpp"
#include "sim/engine/pipes.hpp"
#include "sim/engine/ring_transport.hpp"

namespace fourfold::sim {
namespace {

class MacroFlowTransport final : public RingTransport {
 public:
  MacroFlowTransport(const std::vector<Ring>& rings, bool prune, Network& network, Done done)
      : network_(network), pipes_(network), done_(std::move(done)), rings_(rings.size()) {
    std::vector<std::vector<LinkId>> links;
    for (const Ring& ring : rings) {
      for (const RingFlow& flow : ring.flows) links.push_back(union_of_links(flow));
    }
    if (prune) links = prune_links(links, network.links());
    std::size_t next = 0;
    for (std::size_t r = 0; r < rings.size(); ++r) {
      for (const RingFlow& flow : rings[r].flows) {
        rings_[r].flows.push_back({pipes_.add(links[next++]), flow.share, flow.in_node});
      }
    }
  }

  void start(int ring, const RingTransfer& transfer) override {
    State& state = rings_[static_cast<std::size_t>(ring)];
    state.begin = network_.now();
    state.cost = transfer.cost;
    state.in_flight = state.flows.size();
    for (const Flow& flow : state.flows) {
      const double inflation =
          flow.in_node ? transfer.cost.node_inflation : transfer.cost.network_inflation;
      pipes_.send(flow.pipe, transfer.bytes * flow.share * inflation,
                  [this, ring] { flow_done(ring); });
    }
    flows_ += static_cast<std::int64_t>(state.flows.size());
  }

 private:
  struct Flow {
    PipeId pipe = 0;
    double share = 0;
    bool in_node = true;
  };
  struct State {
    std::vector<Flow> flows;
    std::size_t in_flight = 0;
    Seconds begin = 0;
    CollectiveCost cost;
  };

  void flow_done(int ring) {
    State& state = rings_[static_cast<std::size_t>(ring)];
    if (--state.in_flight > 0) return;
    const Seconds now = network_.now();
    // Rounding must not put the end before the present.
    done_(ring, std::max(now, state.begin + state.cost.join(now - state.begin)));
  }

  Network& network_;
  Pipes pipes_;
  Done done_;
  std::vector<State> rings_;
};

}  // namespace

std::unique_ptr<RingTransport> make_macro_flow_transport(const std::vector<Ring>& rings, bool prune,
                                                         Network& network,
                                                         RingTransport::Done done) {
  return std::make_unique<MacroFlowTransport>(rings, prune, network, std::move(done));
}

}  // namespace fourfold::sim
