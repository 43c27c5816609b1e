#pragma once
// What a replay will need of this computer's memory, told before it is taken: a computer that swaps
// seems to hang.
//
// Sizes per rank and awaited event are those of the replayer's tables. The others are fitted to the
// growth of the process (resident set) over replays of GPT-20B and GPT-40B on 512 to 4,096 ranks
// with grids from 1x1x4096x1 to 4x4x4x64: the sum lies between 2 % below and 17 % above
// (sim/engine/README.md). The platform is not part of it: it is loaded by then.

#include "core/base/units.hpp"
#include "core/grid/grid.hpp"
#include "sim/engine/replay_program.hpp"

namespace fourfold::sim {

struct MemoryNeed {
  Bytes layout = 0;             ///< process groups of the whole grid on the machine, folded or not
  Bytes per_replayed_rank = 0;  ///< clocks, events, flows and routes

  Bytes of(int replayed_ranks) const { return layout + replayed_ranks * per_replayed_rank; }
};

MemoryNeed memory_need(const ReplayProgram& program, const Grid& grid);

/// Throws ConfigError when replaying so many ranks needs more than `limit`; with what folding would
/// need, if `may_fold` and that fits.
void check_memory(const MemoryNeed& need, int replayed_ranks, bool may_fold, Bytes limit);

}  // namespace fourfold::sim
