#include <utility>

#include "sim/engine/pipes.hpp"
#include "sim/engine/ring_transport.hpp"

namespace fourfold::sim {
namespace {

class StepTransport final : public RingTransport {
 public:
  StepTransport(const std::vector<Ring>& rings, const Machine& machine, Network& network, Done done)
      : network_(network), pipes_(network), done_(std::move(done)) {
    for (const Ring& ring : rings) {
      State& state = rings_.emplace_back();
      for (const std::vector<RingHop>& hops : ring_channels(ring, machine, network)) {
        Channel& channel = state.channels.emplace_back();
        for (const RingHop& hop : hops)
          channel.push_back({pipes_.add(hop.path.links), hop.in_node});
      }
    }
  }

  void start(int ring, const RingTransfer& transfer) override {
    State& state = rings_[static_cast<std::size_t>(ring)];
    state.transfer = transfer;
    state.missing_steps = 0;
    for (std::size_t c = 0; c < state.channels.size(); ++c) {
      for (Hop& hop : state.channels[c]) {
        hop.done = 0;
        hop.busy = false;
        state.missing_steps += transfer.steps;
      }
      for (std::size_t h = 0; h < state.channels[c].size(); ++h) start_if_ready(ring, c, h);
    }
  }

 private:
  struct Hop {
    PipeId pipe = 0;
    bool in_node = true;
    int done = 0;  ///< steps sent
    bool busy = false;
  };
  using Channel = std::vector<Hop>;
  struct State {
    std::vector<Channel> channels;
    RingTransfer transfer;
    std::int64_t missing_steps = 0;
  };

  void start_if_ready(int ring, std::size_t c, std::size_t h) {
    State& state = rings_[static_cast<std::size_t>(ring)];
    Channel& channel = state.channels[c];
    Hop& hop = channel[h];
    const Hop& previous = channel[(h + channel.size() - 1) % channel.size()];
    if (hop.busy || hop.done == state.transfer.steps || previous.done < hop.done) return;
    hop.busy = true;
    network_.at(network_.now() + state.transfer.cost.latency / state.transfer.steps,
                [this, ring, c, h] { send_step(ring, c, h); });
  }

  void send_step(int ring, std::size_t c, std::size_t h) {
    const State& state = rings_[static_cast<std::size_t>(ring)];
    const Hop& hop = state.channels[c][h];
    const CollectiveCost& cost = state.transfer.cost;
    const double pieces = static_cast<double>(state.channels.size()) * state.transfer.steps;
    const double inflation = hop.in_node ? cost.node_inflation : cost.network_inflation;
    pipes_.send(hop.pipe, state.transfer.bytes / pieces * inflation,
                [this, ring, c, h] { step_done(ring, c, h); });
    flows_ += 1;
  }

  void step_done(int ring, std::size_t c, std::size_t h) {
    State& state = rings_[static_cast<std::size_t>(ring)];
    Hop& hop = state.channels[c][h];
    hop.busy = false;
    hop.done += 1;
    if (--state.missing_steps == 0) return done_(ring, network_.now() + state.transfer.cost.fixed);
    start_if_ready(ring, c, h);
    start_if_ready(ring, c, (h + 1) % state.channels[c].size());
  }

  Network& network_;
  Pipes pipes_;
  Done done_;
  std::vector<State> rings_;
};

}  // namespace

std::unique_ptr<RingTransport> make_step_transport(const std::vector<Ring>& rings,
                                                   const Machine& machine, Network& network,
                                                   RingTransport::Done done) {
  return std::make_unique<StepTransport>(rings, machine, network, std::move(done));
}

}  // namespace fourfold::sim
