#pragma once
// Moves flows over the network, with SimGrid where they meet others and without it where they do not.
//
// A pipe is a set of links that some flows use, all of them in the same way: a ring's NICs, say. Flows
// of one pipe share it evenly. While no other pipe that is in use has a link in common with it, their
// rates are known without solving anything: of n flows each gets
//
//     min( min over shared links l of B(l) / (m(l) n),  min over fat pipes l of B(l) / m(l) )
//
// with m(l) how often a flow is listed on l. That is the max-min fair rate, so a timer at the end of
// the shortest flow is all the simulation there is. When a pipe comes into use that shares a link, the
// flows of both become flows of SimGrid, with the bytes that are left, and stay there until their
// pipe is empty.
//
// This is not only cheaper per flow: SimGrid 3 searches a list of all live flows whenever one ends,
// so that the cost of a flow grows with the number of ranks.

#include <limits>
#include <map>
#include <vector>

#include "sim/engine/network.hpp"

namespace fourfold::sim {

using PipeId = int;

class Pipes {
 public:
  using Callback = Network::Callback;

  explicit Pipes(Network& network);

  /// The pipe over `links`; one listed k times carries each byte k times. Equal links, equal pipes.
  PipeId add(const std::vector<LinkId>& links);

  /// Starts moving `bytes` now; calls back when the last one has arrived.
  void send(PipeId pipe, double bytes, Callback callback);

 private:
  static constexpr BytesPerSecond kUnlimitedRate = std::numeric_limits<double>::infinity();
  struct Flow {
    double bytes = 0;  ///< left at the time `Pipe::updated`
    Callback callback;
  };
  struct Pipe {
    const std::vector<LinkId>* links = nullptr;   ///< as listed, sorted
    std::vector<LinkId> shared_links;             ///< each once
    BytesPerSecond shared_rate = kUnlimitedRate;  ///< of all flows together
    BytesPerSecond own_rate = kUnlimitedRate;     ///< of each flow
    RouteId route = -1;                           ///< in SimGrid, once it was needed
    bool alone = true;        ///< in use without other pipes; else its flows are in SimGrid
    std::vector<Flow> flows;  ///< while alone
    int simgrid_flows = 0;
    Seconds updated = 0;
    unsigned timer = 0;  ///< number of the last one set; earlier ones are void

    BytesPerSecond rate_of_each() const;
    double shortest() const;  ///< bytes left of the shortest flow
  };
  /// Pipes in use over a shared link: how many, and the sum of their numbers, which names a single one.
  struct Users {
    int pipes = 0;
    PipeId sum = 0;
  };

  Pipe& at(PipeId pipe) { return pipes_[static_cast<std::size_t>(pipe)]; }
  Pipe make_pipe(const std::vector<LinkId>& links) const;
  void take_links(PipeId id);
  void release_links(const Pipe& pipe, PipeId id);
  void move_to_simgrid(PipeId id);
  void send_by_simgrid(PipeId id, double bytes, Callback callback);
  /// Takes what has moved since the last change from the flows.
  void update(Pipe& pipe);
  void await_shortest(PipeId id);
  void finish_shortest(PipeId id);

  Network& network_;
  std::vector<Pipe> pipes_;
  std::vector<Users> users_;  ///< by link
  std::map<std::vector<LinkId>, PipeId> pipe_over_;
};

}  // namespace fourfold::sim
