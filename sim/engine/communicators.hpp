#pragma once
// The process groups of all communicators of a program, laid out on the machine.

#include <vector>

#include "sim/engine/replay_program.hpp"
#include "sim/engine/ring.hpp"

namespace fourfold::sim {

struct Communicators {
  /// Rings of all groups, communicator after communicator.
  std::vector<Ring> rings;
  /// ring_of_rank[c][r]: index into `rings` of rank r's group in communicator c.
  std::vector<std::vector<int>> ring_of_rank;
  /// communicator_of_ring[i]: index into ReplayProgram::communicators.
  std::vector<int> communicator_of_ring;
};

Communicators lay_out(const std::vector<CommunicatorKey>& keys, const Grid& grid,
                      const Machine& machine, const Network& network);

}  // namespace fourfold::sim
