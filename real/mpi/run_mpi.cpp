#include "real/mpi/run_mpi.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/mpi/check.hpp"

namespace fourfold::real {
namespace {

/// How long other ranks leave it to rank 0 to report an error that all have met.
constexpr std::chrono::milliseconds kPatience{500};

[[noreturn]] void stop_all(const MpiWorld& world, const char* message, int exit_code) {
  if (world.rank != 0) std::this_thread::sleep_for(kPatience);
  const std::string who = world.size > 1 ? fmt::format("rank {}: ", world.rank) : "";
  fmt::print(stderr, "error: {}{}\n", who, message);
  std::fflush(nullptr);
  if (world.size > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(
      exit_code);  // a single rank spares the user mpirun's remarks; abort does not return elsewhere
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
    stop_all(world, error.what(), 2);
  } catch (const std::exception& error) {
    stop_all(world, error.what(), 1);
  }
}

}  // namespace fourfold::real
