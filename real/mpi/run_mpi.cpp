#include "real/mpi/run_mpi.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/mpi/check.hpp"

namespace fourfold::real {
namespace {

/// Time for other ranks to say what they have to say.
constexpr std::chrono::milliseconds kPatience{500};

void report(const MpiWorld& world, const char* message) {
  const std::string who = world.size > 1 ? fmt::format("rank {}: ", world.rank) : "";
  fmt::print(stderr, "error: {}{}\n", who, message);
  std::fflush(nullptr);
}

[[noreturn]] void stop_all(const MpiWorld& world, int exit_code) {
  if (world.size > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);  // without mpirun's remarks where there is nobody else to stop
}

MpiWorld start_mpi(int* argc, char*** argv) {
  int provided = 0;
  check_mpi(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED) {
    throw BackendError(
        "this MPI library does not support threads; build it with MPI_THREAD_FUNNELED");
  }
  MpiWorld world;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &world.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &world.size), "MPI_Comm_size");
  return world;
}

}  // namespace

int run_mpi(int argc, char** argv, const std::function<int(MpiWorld)>& program) {
  MpiWorld world;
  try {
    world = start_mpi(&argc, &argv);
    const int result = program(world);
    MPI_Finalize();
    return result;
  } catch (const ConfigError& error) {
    // All ranks meet it: the others leave it to rank 0, which stops them.
    if (world.rank != 0) std::this_thread::sleep_for(kPatience);
    report(world, error.what());
    stop_all(world, 2);
  } catch (const std::exception& error) {
    // The other side of a mismatch has something to say, too.
    report(world, error.what());
    std::this_thread::sleep_for(kPatience);
    stop_all(world, 1);
  }
}

}  // namespace fourfold::real
