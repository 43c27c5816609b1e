// The cpu backend for the contract's test suite. A program for p ranks runs on the first p processes, and on the next p,
// and so on: a program for one rank runs on every process.

#include "real/mpi/run_mpi.hpp"
#include "tests/contract/backends.hpp"

namespace fourfold::test {
namespace {

/// The communicator of this process's p ranks.
class Ranks {
 public:
  explicit Ranks(int p) {
    real::MpiWorld all;
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.size);
    const int group = all.rank / p;
    taking_part_ = (group + 1) * p <= all.size;
    MPI_Comm_split(MPI_COMM_WORLD, taking_part_ ? group : MPI_UNDEFINED, all.rank,
                   &world_.communicator);
    world_.rank = all.rank % p;
    world_.size = p;
  }
  ~Ranks() {
    if (taking_part_) MPI_Comm_free(&world_.communicator);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  bool taking_part() const { return taking_part_; }
  const real::MpiWorld& world() const { return world_; }

 private:
  bool taking_part_ = false;
  real::MpiWorld world_;
};

/// Returns this rank's peak in place of every rank's.
std::vector<MemoryByKind> run_on_processes(const Grid& grid, const RankProgram& program,
                                           int threads, Bytes capacity) {
  const Ranks ranks(grid.world_size());
  MemoryByKind peak{};
  if (ranks.taking_part()) {
    real::CpuRank rank(ranks.world(), grid, {.threads = threads, .memory_capacity = capacity},
                       {.check_collectives = true});
    RankContext context = rank.context();
    program(context);
    context.device.synchronize();
    peak = rank.device().memory().at_peak();
  }
  return std::vector<MemoryByKind>(static_cast<std::size_t>(grid.world_size()), peak);
}

}  // namespace

std::vector<Backend> all_backends() {
  const auto cpu = [](int threads) {
    return [threads](const Grid& grid, const RankProgram& program, Bytes capacity) {
      return run_on_processes(grid, program, threads, capacity);
    };
  };
  return {{"cpu", true, cpu(1)}, {"cpu_with_2_threads", true, cpu(2)}};
}

}  // namespace fourfold::test
