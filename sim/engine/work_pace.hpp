#pragma once
// How long kernels take on each rank, compared with a rank that nothing disturbs.

#include <cstdint>
#include <vector>

#include "sim/disturbances.hpp"
#include "sim/engine/folding.hpp"
#include "sim/engine/replay_program.hpp"

namespace fourfold::sim {

class WorkPace {
 public:
  WorkPace(const Disturbances& disturbances, const Folding& folding);

  /// By what `work`, an instruction of the kind work, is stretched on a replayed rank.
  double stretch(int rank, const Instruction& work) const {
    const double slowness = slowness_[static_cast<std::size_t>(rank)];
    return jitter_keys_.empty() ? slowness : slowness * jitter(rank, work.index);
  }

 private:
  double jitter(int rank, int first_kernel) const;

  double sigma_;
  std::vector<double> slowness_;            ///< 1 / speed
  std::vector<std::uint64_t> jitter_keys_;  ///< empty without jitter
};

}  // namespace fourfold::sim
