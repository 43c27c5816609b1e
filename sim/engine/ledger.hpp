#pragma once
// What the replay writes down while it runs: who waited for what, how long collectives took, what
// traced ranks did. A rank or ring of a folded world counts for all that it stands for.

#include <vector>

#include "sim/engine/folding.hpp"
#include "sim/engine/replay_program.hpp"
#include "sim/simulation.hpp"

namespace fourfold::sim {

class Ledger {
 public:
  /// Throws ConfigError for a traced rank outside the world.
  Ledger(const ReplayProgram& program, const Folding& folding, const std::vector<int>& traced_ranks);

  bool traces(int rank) const { return !traced_[static_cast<std::size_t>(rank)].empty(); }

  /// Kernels ran on the compute stream of a rank.
  void add_work(int rank, Seconds duration) { work_[static_cast<std::size_t>(rank)] += duration; }
  /// The compute stream of a rank stood still until an event behind a collective of that type (-1:
  /// behind none).
  void add_stall(int rank, int collective_type, Seconds duration);
  /// A ring finished a collective.
  void add_collective(int collective_type, int ring, Seconds duration);
  /// For traced ranks only: the kernels of `work` one after the other from `begin`, each `stretch` times as long as
  /// on an undisturbed rank.
  void trace_kernels(int rank, Stream stream, const Instruction& work, double stretch,
                     Seconds begin);
  void trace_collective(int rank, const ProgramCollective& collective, Seconds begin, Seconds end);

  /// Sums over all ranks, by collective type.
  const std::vector<Seconds>& exposed() const { return exposed_; }
  const std::vector<Seconds>& busy() const { return busy_; }
  /// Kernels on the compute stream, mean over all ranks.
  Seconds mean_work() const;
  /// The five replayed ranks that computed least in a step of `step_time`, so waited most.
  std::vector<RankWait> longest_waits(Seconds step_time) const;
  /// By begin, then rank and stream.
  std::vector<Interval> take_timeline();

 private:
  const ReplayProgram& program_;
  const Folding& folding_;
  /// For each replayed rank the traced ranks it stands for.
  std::vector<std::vector<int>> traced_;
  std::vector<Seconds> work_;  ///< by replayed rank
  std::vector<Seconds> exposed_, busy_;
  std::vector<Interval> timeline_;
};

}  // namespace fourfold::sim
