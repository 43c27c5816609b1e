// What fails here must stop all ranks: used by failure_test.sh.
//
//   failing_program throw | config | kill | stall | mismatch | groups | streams | deadlock

#include <csignal>
#include <string>
#include <thread>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "real/mpi/run_mpi.hpp"

namespace {

using namespace fourfold;

Tensor zeros_of(RankContext& context, std::int64_t elements) {
  return zeros(context, {elements}, DType::float32, MemoryKind::workspace);
}

/// Rank 1 fails; all others wait for it in a collective.
void fail_alone(const std::string& how, RankContext& context) {
  if (context.rank == 1) {
    if (how == "throw") throw BackendError("the disk is full");
    if (how == "kill") std::raise(SIGKILL);
    if (how == "stall") std::this_thread::sleep_for(std::chrono::hours(1));
  }
  all_reduce(context, Axis::data, zeros_of(context, 8));
}

/// Ranks do not agree on what they do.
void disagree(const std::string& how, RankContext& context) {
  const bool odd = context.rank == 1;
  if (how == "mismatch") all_reduce(context, Axis::data, zeros_of(context, odd ? 7 : 8));
  if (how == "groups") {
    all_reduce(context, odd ? AxisSet(Axis::data) : Axis::x | Axis::data, zeros_of(context, 8));
  }
  if (how == "streams") {
    Pending pending = start_all_reduce(context, odd ? Stream::comm_x : Stream::comm_y, Axis::data,
                                       zeros_of(context, 8));
    join(context, pending);
  }
  // Everybody waits for a neighbour that waits for another one: 0 and 3 along z, 1 and 2 along data.
  if (how == "deadlock") {
    const bool outer = context.rank == 0 || context.rank == 3;
    Pending pending = start_all_reduce(context, Stream::comm_data, outer ? Axis::z : Axis::data,
                                       zeros_of(context, 8));
    join(context, pending);
  }
}

int fail(const std::string& how, const real::MpiWorld& world) {
  if (how == "config") throw ConfigError("unknown model \"gpt-80\"");
  const Grid grid = how == "deadlock" ? Grid(1, 1, 2, 2) : Grid(1, 1, 1, world.size);
  const bool alone = how == "throw" || how == "kill" || how == "stall";
  real::CpuRank rank(world, grid, {.stall_limit = 2.0}, {.check_collectives = !alone});
  RankContext context = rank.context();
  const Range range(context.device, "block 3");
  alone ? fail_alone(how, context) : disagree(how, context);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return fourfold::real::run_mpi(
      argc, argv, [&](fourfold::real::MpiWorld world) { return fail(argv[1], world); });
}
