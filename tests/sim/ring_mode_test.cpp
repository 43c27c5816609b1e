// Two independent checks of the macro-flows: against rings replayed step by step, and against flows over all links.

#include <ostream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

struct Layout {
  std::string name, platform;
  Grid grid;
  int gpus_per_node, nics_per_node;
};

void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.name;
}

std::vector<Layout> layouts() {
  return {{"InsideANode", "flat", Grid(1, 1, 4, 1), 4, 4},
          {"OneMemberPerNode", "flat", Grid(1, 1, 4, 1), 1, 1},
          {"FullNodes", "flat", Grid(1, 1, 8, 1), 4, 4},
          {"HalfNodes", "flat", Grid(2, 1, 8, 1), 4, 4},
          {"SharedNics", "flat", Grid(1, 1, 8, 1), 4, 2},
          {"SingleGpusOnSharedNics", "flat", Grid(2, 1, 4, 1), 2, 1},
          {"ManyGroups", "flat", Grid(4, 1, 4, 1), 4, 4},
          {"TaperedPairs", "tapered", Grid(8, 1, 2, 1), 4, 4},
          {"TaperedRing", "tapered", Grid(4, 1, 4, 1), 4, 4},
          {"TaperedFullNodes", "tapered", Grid(1, 1, 16, 1), 4, 4}};
}

class RingModes : public testing::TestWithParam<std::tuple<Layout, CollectiveKind>> {
 protected:
  const Layout& layout() const { return std::get<0>(GetParam()); }
  StepProgram program() const {
    // Divisible by steps, channels and members: no piece is rounded to whole bytes.
    return one_collective(layout().grid, std::get<1>(GetParam()), Axis::z, 1'344'000'000);
  }
  Machine machine() const {
    Machine machine =
        toy_machine(layout().platform, layout().gpus_per_node, layout().nics_per_node);
    use_low_latency(machine, 100e-6, 20e-6);  // latency is added, as it is for single steps
    return machine;
  }
};

TEST_P(RingModes, MacroFlowsTakeAsLongAsSteps) {
  SimulationOptions steps;
  steps.ring_mode = RingMode::step_by_step;
  const SimulationResult macro = simulate(program(), layout().grid, machine());
  const SimulationResult single = simulate(program(), layout().grid, machine(), steps);
  EXPECT_NEAR(macro.step_time, single.step_time, 1e-6 * single.step_time);
  EXPECT_GT(single.flows, macro.flows);
}

TEST_P(RingModes, PruningChangesNothing) {
  SimulationOptions all_links;
  all_links.prune_links = false;
  const SimulationResult pruned = simulate(program(), layout().grid, machine());
  const SimulationResult full = simulate(program(), layout().grid, machine(), all_links);
  EXPECT_NEAR(pruned.step_time, full.step_time, 1e-9 * full.step_time);
}

INSTANTIATE_TEST_SUITE_P(Layouts, RingModes,
                         testing::Combine(testing::ValuesIn(layouts()),
                                          testing::Values(CollectiveKind::all_reduce,
                                                          CollectiveKind::all_gather)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

TEST(RingModes, PruningChangesNothingInAStepOfManyGroups) {
  // Groups along all axes, on several streams at once.
  const Grid grid(2, 2, 2, 2);
  const auto run = [&](bool prune) {
    ToyStep step(grid);
    RankContext& context = step.context();
    for (int layer = 0; layer < 3; ++layer) {
      Pending gather = start_all_gather(context, Stream::comm_z_gather, Axis::z,
                                        step.buffer(40'000'000), MemoryKind::workspace);
      Pending reduce =
          start_all_reduce(context, Stream::comm_data, Axis::data, step.buffer(90'000'000));
      all_reduce(context, Axis::x, step.buffer(70'000'000));
      step.kernel(3);
      join(context, gather);
      all_reduce(context, Axis::y, step.buffer(30'000'000));
      Pending scatter = start_reduce_scatter(context, Stream::comm_z_scatter, Axis::z,
                                             step.buffer(80'000'000), MemoryKind::workspace);
      all_reduce(context, Axis::x | Axis::y, step.buffer(10'000'000));
      join(context, reduce);
      join(context, scatter);
    }
    SimulationOptions options;
    options.prune_links = prune;
    return step.simulate(toy_machine("tapered", 4, 2), options).step_time;
  };
  const Seconds full = run(false);
  EXPECT_NEAR(run(true), full, 1e-9 * full);
}

}  // namespace
}  // namespace fourfold::sim
