#pragma once
// Walks every rank of the grid through the program.
//
// A rank is, for each of its streams, a position in the shared instruction list and a clock. Clocks
// run ahead of the network's time as far as the streams can go by themselves: kernels and events
// need no simulation. A stream stops at a wait for an event that is not recorded yet, and at a
// collective. A collective starts when its last member has arrived; when its ring has finished,
// every member's stream takes the end time and walks on.
//
// Clocks only run ahead to where a collective starts or ends, and nothing a stream does can start a
// collective before the end of the one it stopped at. So no collective is ever found to start in
// the network's past.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/cost/collective_model.hpp"
#include "sim/engine/folding.hpp"
#include "sim/engine/ledger.hpp"
#include "sim/engine/replay_program.hpp"
#include "sim/engine/ring_transport.hpp"
#include "sim/engine/work_pace.hpp"

namespace fourfold::sim {

class Replayer {
 public:
  /// Replays the ranks of the folded world, one for each class.
  Replayer(const ReplayProgram& program, const Folding& folding, const WorkPace& pace,
           const CollectiveModel& collective_model, Network& network, Ledger& ledger);

  /// To be called by `transport` when a ring has finished.
  void collective_done(int ring, Seconds end);

  /// Replays the step and returns its duration: the end of the last stream of the last rank. Throws
  /// BackendError when ranks are left waiting for each other, naming some of them and their
  /// operations.
  Seconds run(RingTransport& transport, const std::function<void(double)>& progress);

 private:
  struct StreamState {
    Seconds clock = 0;
    std::uint32_t position = 0;
    bool in_collective = false;
  };
  /// A group on its way into a collective, or in it.
  struct RingState {
    int collective = -1;
    int missing = 0;  ///< members that have not arrived
    Seconds start = 0;
  };

  StreamState& state(int rank, std::size_t stream) {
    return streams_[static_cast<std::size_t>(rank) * kStreamCount + stream];
  }
  // Event by event: neighbouring ranks pass an event one after the other, and share its cache lines.
  Seconds& event_time(int rank, int event) {
    return event_times_[static_cast<std::size_t>(event) * folding_.ranks_in_class.size() +
                        static_cast<std::size_t>(rank)];
  }
  const ProgramCollective& collective(int index) const {
    return program_.collectives[static_cast<std::size_t>(index)];
  }

  /// Runs the streams in the bit set, and those they wake, until all are stopped or finished.
  void advance(int rank, unsigned streams);
  /// Runs one stream until it stops or finishes; returns the streams it woke.
  unsigned advance_stream(int rank, std::size_t stream);
  void do_work(int rank, std::size_t stream, const Instruction& work);
  bool pass_wait(int rank, std::size_t stream, const Instruction& wait);
  void arrive(int rank, std::size_t stream, int collective_index);
  void begin(int ring);
  void report_progress();

  Seconds end_of_step() const;
  void check_finished();
  std::string describe_blocked(int rank);
  std::string describe_blocked_collective(int rank, int collective_index);

  const ReplayProgram& program_;
  const Folding& folding_;
  const WorkPace& pace_;
  const Communicators& communicators_;  ///< of the folded world
  const CollectiveModel& collective_model_;
  Network& network_;
  Ledger& ledger_;
  RingTransport* transport_ = nullptr;
  Seconds origin_ = 0;  ///< network time at which the step begins
  std::vector<StreamState> streams_;
  std::vector<Seconds> event_times_;  ///< NaN until recorded
  std::vector<RingState> rings_;
  std::function<void(double)> progress_;
  std::int64_t collectives_done_ = 0, collectives_total_ = 0;
};

}  // namespace fourfold::sim
