// Simulated times of toy steps against sums by hand. Numbers of tests/golden/flat.xml: port 100 GB/s, 2 us a hop;
// NIC 10 GB/s, 4 us a hop. A collective whose transfer takes T and whose steps take L ends after hypot(L, T).

#include <cmath>

#include <gtest/gtest.h>

#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

constexpr Seconds kMilli = 1e-3;

void expect_time(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual, expected, 1e-9 * expected);
}

TEST(Golden, KernelsOnly) {
  ToyStep step(Grid(2, 1, 1, 1));
  step.kernel(3);
  step.kernel(4);
  SimulationOptions every_rank;
  every_rank.fold = Fold::off;
  const SimulationResult result = step.simulate(toy_machine("flat", 4), every_rank);
  expect_time(result.step_time, 7 * kMilli);  // 3 + 4
  expect_time(result.compute_busy, 7 * kMilli);
  EXPECT_EQ(result.flows, 0);
  EXPECT_EQ(result.rank_operations, 2 * 2);
}

TEST(Golden, AllReduceInsideANode) {
  // V = 2 (3/4) 1 GB = 1.5 GB; T = 1.5 GB / 100 GB/s = 15 ms; L = 6 steps x 2 us.
  const Grid grid(4, 1, 1, 1);
  const StepProgram program =
      one_collective(grid, CollectiveKind::all_reduce, Axis::x, 1'000'000'000);
  const SimulationResult result = simulate(program, grid, toy_machine("flat", 4));
  expect_time(result.step_time, std::hypot(12e-6, 15 * kMilli));
  ASSERT_EQ(result.collectives.size(), 1U);
  expect_time(result.collectives[0].busy, result.step_time);
  expect_time(result.collectives[0].exposed, result.step_time);
  EXPECT_EQ(result.collectives[0].count, 1);
  EXPECT_EQ(result.collectives[0].bytes_per_rank, 1.5e9);
  expect_time(result.compute_idle, result.step_time);
}

TEST(Golden, AllGatherAcrossNodes) {
  // One member per node: V = (3/4) 1 GB over each NIC; T = 75 ms; L = 3 x 4 us.
  const Grid grid(4, 1, 1, 1);
  const StepProgram program =
      one_collective(grid, CollectiveKind::all_gather, Axis::x, 1'000'000'000);
  const SimulationResult result = simulate(program, grid, toy_machine("flat", 1));
  expect_time(result.step_time, std::hypot(12e-6, 75 * kMilli));
}

TEST(Golden, ReduceScatterOverNodesAndPorts) {
  // Four members on each of two nodes: V = (7/8) 1.6 GB = 1.4 GB. NICs: V/4 / 10 GB/s = 35 ms.
  // Ports: (3/4) V / 100 GB/s = 10.5 ms, done before. L = 7 x 4 us.
  const Grid grid(1, 1, 8, 1);
  const StepProgram program =
      one_collective(grid, CollectiveKind::reduce_scatter, Axis::z, 1'600'000'000);
  const SimulationResult result = simulate(program, grid, toy_machine("flat", 4));
  expect_time(result.step_time, std::hypot(28e-6, 35 * kMilli));
  EXPECT_EQ(result.flows, 2);
}

TEST(Golden, PortsSlowerThanNics) {
  // As above but eight members a node on two nodes, and a library that reaches a tenth of the ports:
  // V = (15/16) 1.6 GB = 1.5 GB. NICs: V/8 / 10 GB/s = 18.75 ms. Ports: (7/8) V / 10 GB/s = 131.25 ms.
  const Grid grid(1, 1, 16, 1);
  Machine machine = toy_machine("flat", 8);
  machine.library.reduce_scatter.simple.node_efficiency = 0.1;
  machine.library.reduce_scatter.low_latency.node_efficiency = 0.1;
  const StepProgram program =
      one_collective(grid, CollectiveKind::reduce_scatter, Axis::z, 1'600'000'000);
  const SimulationResult result = simulate(program, grid, machine);
  expect_time(result.step_time, std::hypot(60e-6, 131.25 * kMilli));  // L = 15 x 4 us
}

TEST(Golden, StepLatencyAndStartUpOfTheLibrary) {
  // V = 1 GB: T = 10 ms in the node. LL: 1 ms + 2 steps x 50 us + T.
  const Grid grid(2, 1, 1, 1);
  Machine machine = toy_machine("flat", 4);
  use_low_latency(machine, 1 * kMilli, 50e-6);
  const StepProgram program =
      one_collective(grid, CollectiveKind::all_reduce, Axis::x, 1'000'000'000);
  expect_time(simulate(program, grid, machine).step_time, 1 * kMilli + 100e-6 + 10 * kMilli);
}

TEST(Golden, OverlapOfACollectiveWithAKernel) {
  // all_reduce of hypot(4 us, 10 ms) beside a kernel of 6 ms, then a kernel of 2 ms that needs the result.
  const Seconds reduction = std::hypot(4e-6, 10 * kMilli);
  ToyStep step(Grid(2, 1, 1, 1));
  step.kernel(1);
  Pending pending =
      start_all_reduce(step.context(), Stream::comm_x, Axis::x, step.buffer(1'000'000'000));
  step.kernel(6);
  join(step.context(), pending);
  step.kernel(2);
  const SimulationResult result = step.simulate(toy_machine("flat", 4));
  expect_time(result.step_time, 1 * kMilli + reduction + 2 * kMilli);
  ASSERT_EQ(result.collectives.size(), 1U);
  expect_time(result.collectives[0].busy, reduction);
  expect_time(result.collectives[0].exposed, reduction - 6 * kMilli);
  expect_time(result.collectives[0].overlapped(), 6 * kMilli);
}

TEST(Golden, KernelsBesideCollectivesTakeLonger) {
  // Only the kernel between start and join is stretched, by a half: 1 + 1.5 x 6 + 2 ms, the collective being shorter.
  ToyStep step(Grid(2, 1, 1, 1));
  step.kernel(1);
  Pending pending =
      start_all_reduce(step.context(), Stream::comm_x, Axis::x, step.buffer(100'000'000));
  step.kernel(6);
  join(step.context(), pending);
  step.kernel(2);
  Machine machine = toy_machine("flat", 4);
  machine.gpu.overlap_slowdown = 0.5;
  const SimulationResult result = step.simulate(machine);
  expect_time(result.step_time, 12 * kMilli);
  expect_time(result.compute_busy, 12 * kMilli);
}

TEST(Golden, TheSlowestGpuSetsThePace) {
  // Speeds halved on average: 2 x 3 ms; spread 0.1 over 16 ranks: Blom's quantile of (16 - 0.375) / (16 + 0.25) is 1.7688250.
  ToyStep step(Grid(2, 2, 2, 2));
  step.kernel(3);
  Machine machine = toy_machine("flat", 4);
  machine.fleet = {.speed = 0.5, .spread = 0.1};
  expect_time(step.simulate(machine).step_time, 6 * kMilli * 1.176882504);
}

TEST(Golden, CollectiveHiddenBehindAKernel) {
  ToyStep step(Grid(2, 1, 1, 1));
  Pending pending =
      start_all_reduce(step.context(), Stream::comm_x, Axis::x, step.buffer(1'000'000'000));
  step.kernel(20);
  join(step.context(), pending);
  const SimulationResult result = step.simulate(toy_machine("flat", 4));
  expect_time(result.step_time, 20 * kMilli);
  EXPECT_EQ(result.collectives.at(0).exposed, 0.0);
}

TEST(Golden, EventsOrderStreams) {
  // comm_x: 5 ms, recorded; compute: 2 ms, waits for it, 1 ms -> 6 ms. comm_y waits for that and works 4 ms.
  ToyStep step(Grid(2, 1, 1, 1));
  step.kernel(5, Stream::comm_x);
  const Event first = step.recorder().record(Stream::comm_x);
  step.kernel(100,
              Stream::comm_x);  // behind the event: nobody waits for it but the end of the step
  step.kernel(2);
  step.recorder().wait(Stream::compute, first);
  step.kernel(1);
  step.recorder().wait(Stream::comm_y, step.recorder().record(Stream::compute));
  step.kernel(4, Stream::comm_y);
  SimulationOptions options;
  const SimulationResult result = step.simulate(toy_machine("flat", 4), options);
  expect_time(result.step_time, 105 * kMilli);           // 5 + 100 on comm_x
  expect_time(result.timeline.back().end, 10 * kMilli);  // 5 + 1 + 4, the kernel that begins last
  EXPECT_EQ(result.timeline.back().stream, Stream::comm_y);
}

TEST(Golden, SynchronizeJoinsAllStreams) {
  ToyStep step(Grid(2, 1, 1, 1));
  step.kernel(5, Stream::comm_x);
  step.kernel(2);
  step.recorder().synchronize();
  step.kernel(1);
  step.kernel(3, Stream::comm_x);
  expect_time(step.simulate(toy_machine("flat", 4)).step_time,
              8 * kMilli);  // max(5, 2) + max(1, 3)
}

TEST(Golden, CollectiveStartsWithItsLastMember) {
  // Three GPUs a node, pairs along x: 0 1 and 4 5 lie in a node, 2 3 lie across. all_reduce of 1 GB along x, V = 1 GB:
  //   in the node   hypot(2 x 2 us, 10 ms), across hypot(2 x 4 us, 100 ms)
  // Then along y, groups 0 2 4 and 1 3 5, each with one member on one node and two on the other, 0.3 GB: V = 0.4 GB,
  // in both directions two crossings of V/2 that share the single member's NIC: T = V / 10 GB/s = 40 ms; 4 steps x 4 us.
  const Seconds near = std::hypot(4e-6, 10 * kMilli);
  const Seconds far = std::hypot(8e-6, 100 * kMilli);
  const Seconds along_y = std::hypot(16e-6, 40 * kMilli);
  ToyStep step(Grid(2, 3, 1, 1));
  all_reduce(step.context(), Axis::x, step.buffer(1'000'000'000));
  all_reduce(step.context(), Axis::y, step.buffer(300'000'000));
  const SimulationResult result = step.simulate(toy_machine("flat", 3));
  expect_time(result.step_time, far + along_y);
  ASSERT_EQ(result.collectives.size(), 2U);
  expect_time(result.collectives[0].busy, (4 * near + 2 * far) / 6);
  expect_time(result.collectives[0].exposed, (4 * near + 2 * far) / 6);
  // The wait for the late members counts as exposed, not as busy.
  expect_time(result.collectives[1].busy, along_y);
  expect_time(result.collectives[1].exposed, along_y + 4 * (far - near) / 6);
}

TEST(Golden, LateMemberWhoseFlowEndedFirst) {
  // Latency of 10 ms a step between nodes, added to the transfer (LL); in-node ports at 1 %, 1 GB/s.
  // Ranks as above. all_reduce of 1 MB along x, V = 1 MB: 0 1 and 4 5 take 1 ms, all of it transfer;
  // 2 3 take 0.1 ms over the NIC and 20 ms of latency. Then 3 MB along y, V = 4 MB:
  // ports V/2 / 1 GB/s = 2 ms, 4 steps x 10 ms.
  Machine machine = toy_machine("flat", 3);
  use_low_latency(machine, 0.0, 10 * kMilli);
  for (RingConstants* ring : {&machine.library.all_gather, &machine.library.reduce_scatter}) {
    ring->low_latency.step_latency_node = 0.0;
    ring->low_latency.node_efficiency = 0.01;
    ring->simple.node_efficiency = 1e-6;
  }
  ToyStep step(Grid(2, 3, 1, 1));
  all_reduce(step.context(), Axis::x, step.buffer(1'000'000));
  all_reduce(step.context(), Axis::y, step.buffer(3'000'000));
  expect_time(step.simulate(machine).step_time, (20 + 0.1 + 2 + 40) * kMilli);
}

TEST(Golden, CollectivesOfOneStreamRunOneAfterTheOther) {
  const Seconds each = std::hypot(4e-6, 10 * kMilli);
  ToyStep step(Grid(2, 1, 1, 1));
  Pending first =
      start_all_reduce(step.context(), Stream::comm_x, Axis::x, step.buffer(1'000'000'000));
  Pending second =
      start_all_reduce(step.context(), Stream::comm_x, Axis::x, step.buffer(1'000'000'000));
  join(step.context(), first);
  join(step.context(), second);
  expect_time(step.simulate(toy_machine("flat", 4)).step_time, 2 * each);
}

}  // namespace
}  // namespace fourfold::sim
