// What simulating one all_reduce costs: 1 GiB over GPUs of Perlmutter, every rank replayed.
//
//   all_reduce_benchmark macro-flow|step-by-step [GPUS]      default 1024
//
// Step by step, every member sends every piece by itself: 2 (p - 1) steps of p flows for each of a node's NICs.

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string_view>

#include <fmt/format.h>
#include <sys/resource.h>

#include "tests/sim/toy.hpp"

int main(int argc, char** argv) {
  using namespace fourfold;
  using namespace fourfold::sim;
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode != "macro-flow" && mode != "step-by-step") {
    std::cerr << "usage: all_reduce_benchmark macro-flow|step-by-step [GPUS]\n";
    return 2;
  }
  const Grid grid(argc > 2 ? std::atoi(argv[2]) : 1024, 1, 1, 1);
  SimulationOptions options;
  options.fold = Fold::off;
  options.ring_mode = mode == "macro-flow" ? RingMode::macro_flow : RingMode::step_by_step;
  const StepProgram program =
      one_collective(grid, CollectiveKind::all_reduce, Axis::x, Bytes{1} << 30);
  const SimulationResult result =
      simulate(program, grid, load_machine(find_machine("perlmutter")), options);

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{},{},{},{:.2f},{:.0f},{:.3f}\n", mode, grid.world_size(), result.flows,
             static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
             static_cast<double>(usage.ru_maxrss) * 1024 / kMega, 1e3 * result.step_time);
  return 0;
}
