#pragma once
// Programs under mpirun or srun: one process a rank.
//
//     int main(int argc, char** argv) {
//       return run_mpi(argc, argv, [&](MpiWorld world) {
//         CpuRank rank(world, Grid::parse("2x1x1x2"), CpuOptions{.threads = 4});
//         train(rank.context());
//         return 0;
//       });
//     }

#include <functional>

#include "core/backend/rank_context.hpp"
#include "real/mpi/communicator.hpp"

namespace fourfold::real {

struct MpiWorld {
  MPI_Comm communicator = MPI_COMM_WORLD;
  int rank = 0, size = 1;
};

/// Device and communicator of this process on the cpu backend.
class CpuRank {
 public:
  /// A collective call among all ranks of `world`. Throws ConfigError unless grid and world have equally many ranks.
  CpuRank(const MpiWorld& world, const Grid& grid, const CpuOptions& cpu = {},
          const MpiOptions& mpi = {})
      : grid_(grid), device_(cpu), communicator_(world.communicator, grid_, device_, mpi) {}

  RankContext context() { return {grid_, communicator_.rank(), device_, communicator_}; }
  CpuDevice& device() { return device_; }
  MpiCommunicator& communicator() { return communicator_; }

 private:
  Grid grid_;
  CpuDevice device_;
  MpiCommunicator communicator_;
};

/// Initialises MPI, runs `program` on every rank and returns its result. A rank whose program throws prints the message
/// and stops all ranks: exit code 2 for ConfigError, 1 for everything else. An error that all ranks meet, such as a
/// wrong flag, is printed by rank 0 only.
int run_mpi(int argc, char** argv, const std::function<int(MpiWorld)>& program);

}  // namespace fourfold::real
