// Contention is nobody's formula here: it comes out of SimGrid's sharing of links between the groups' flows.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

constexpr BytesPerSecond kNic = 10e9;

/// Time of an all_gather of 1.6 GB along z, with x ranks inside.
Seconds gather_time(const Grid& grid, const Machine& machine) {
  const StepProgram program =
      one_collective(grid, CollectiveKind::all_gather, Axis::z, 1'600'000'000);
  return simulate(program, grid, machine).step_time;
}

TEST(Contention, TwoGroupsOnOneNicTakeTwiceAsLongAsOne) {
  // Two GPUs a node and one NIC for both: z groups 0 2 and 1 3 share it. V = 0.8 GB: 80 ms alone, 160 ms together.
  const Machine machine = toy_machine("flat", 2, 1);
  ToyStep shared(Grid(2, 1, 2, 1));
  all_gather(shared.context(), Axis::z, shared.buffer(800'000'000), MemoryKind::workspace);
  EXPECT_NEAR(shared.simulate(machine).step_time, std::hypot(4e-6, 0.16), 1e-9 * 0.16);

  const Grid alone(1, 1, 2, 1);  // the same group on nodes of one GPU
  EXPECT_NEAR(gather_time(alone, toy_machine("flat", 1)), std::hypot(4e-6, 0.08), 1e-9 * 0.08);
}

TEST(Contention, MembersThatShareANicUseItInTurns) {
  // Two GPUs a node with one NIC, one group of four: each node boundary is crossed once, V = (3/4) 1.6 GB over one NIC.
  EXPECT_NEAR(gather_time(Grid(1, 1, 4, 1), toy_machine("flat", 2, 1)), std::hypot(12e-6, 0.12),
              1e-9 * 0.12);
}

/// Eq 7 of the AxoNN paper: a group that spans nodes gets B_inter / min(GPUs per node, product of the inner axes),
/// B_inter being the bandwidth of all NICs of a node.
class EquationSeven : public testing::TestWithParam<int> {};

TEST_P(EquationSeven, ComesOutOfTheFlows) {
  const int inner = GetParam();
  const int gpus_per_node = 4;
  const Grid grid(inner, 1, 16 / inner, 1);
  const double bandwidth = gpus_per_node * kNic / std::min(gpus_per_node, inner);
  const double members = 16.0 / inner;
  const Seconds transfer = (members - 1) / members * 1.6e9 / bandwidth;
  const Seconds latency = (members - 1) * 4e-6;
  EXPECT_NEAR(gather_time(grid, toy_machine("flat", gpus_per_node)), std::hypot(latency, transfer),
              1e-9 * transfer);
}

// Four cases at a node boundary: the group fills its nodes; half of them; one GPU of each; and groups of more than a
// node's stride.
INSTANTIATE_TEST_SUITE_P(InnerRanks, EquationSeven, testing::Values(1, 2, 4, 8));

TEST(Contention, GroupsShareTheGlobalLinks) {
  // 8 pairs r, r + 8 across the two groups of the tapered network, each in both directions: every global link carries
  // 8 flows of V = 0.8 GB at 30 GB/s. NICs alone would take 80 ms. A hop takes 10 us.
  const Seconds transfer = 8 * 0.8e9 / 30e9;
  EXPECT_NEAR(gather_time(Grid(8, 1, 2, 1), toy_machine("tapered", 4)), std::hypot(10e-6, transfer),
              1e-9);
}

TEST(Contention, LinkUseCountsEveryByte) {
  const StepProgram program =
      one_collective(Grid(8, 1, 2, 1), CollectiveKind::all_gather, Axis::z, 1'600'000'000);
  const SimulationResult result = simulate(program, Grid(8, 1, 2, 1), toy_machine("tapered", 4));
  ASSERT_EQ(result.link_classes.size(), 2U);
  EXPECT_EQ(result.link_classes[0].link_class, "nic");
  EXPECT_EQ(result.link_classes[0].links, 32);  // 16 NICs, both directions
  EXPECT_DOUBLE_EQ(result.link_classes[0].bytes, 32 * 0.8e9);
  EXPECT_EQ(result.link_classes[1].link_class, "global");
  EXPECT_EQ(result.link_classes[1].links, 4);  // two groups, both directions
  EXPECT_DOUBLE_EQ(result.link_classes[1].bytes, 4 * 8 * 0.8e9);
  EXPECT_NEAR(result.link_classes[1].max_utilisation, 1.0, 1e-6);
  ASSERT_EQ(result.busiest_links.size(), 10U);
  EXPECT_EQ(result.busiest_links[0].link_class, "global");
}

TEST(Contention, StreamsShareANic) {
  // Two all_reduces of one pair at a time, on two streams: V = 0.5 GB each over the same NICs, 50 ms alone.
  const Machine machine = toy_machine("flat", 1);
  ToyStep step(Grid(2, 1, 1, 1));
  Pending first =
      start_all_reduce(step.context(), Stream::comm_x, Axis::x, step.buffer(500'000'000));
  Pending second =
      start_all_reduce(step.context(), Stream::comm_y, Axis::x, step.buffer(500'000'000));
  join(step.context(), first);
  join(step.context(), second);
  EXPECT_NEAR(step.simulate(machine).step_time, std::hypot(8e-6, 0.1), 1e-9 * 0.1);
}

}  // namespace
}  // namespace fourfold::sim
