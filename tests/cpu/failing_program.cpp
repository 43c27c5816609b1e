// What fails here must stop all ranks: used by failure_test.sh.
//
//   failing_program throw | config | mismatch | groups | kill | stall

#include <csignal>
#include <string>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "real/mpi/run_mpi.hpp"

namespace {

using namespace fourfold;

/// Rank 1 fails; all others wait for it in a collective.
int fail(const std::string& how, const real::MpiWorld& world) {
  if (how == "config") throw ConfigError("unknown model \"gpt-80\"");
  real::CpuRank rank(world, Grid(1, 1, 1, world.size), {.stall_limit = 2.0},
                     {.check_collectives = how == "mismatch"});
  RankContext context = rank.context();
  const Range range(context.device, "block 3");
  if (world.rank == 1) {
    if (how == "throw") throw BackendError("the disk is full");
    if (how == "kill") std::raise(SIGKILL);
    if (how == "stall") std::this_thread::sleep_for(std::chrono::hours(1));
  }
  const std::int64_t elements = how == "mismatch" && world.rank == 1 ? 7 : 8;
  const bool other_group = how == "groups" && world.rank == 0;
  all_reduce(context, other_group ? Axis::x | Axis::data : AxisSet(Axis::data),
             zeros(context, {elements}, DType::float32, MemoryKind::workspace));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return fourfold::real::run_mpi(
      argc, argv, [&](fourfold::real::MpiWorld world) { return fail(argv[1], world); });
}
