// Rules of the replay besides its times: the same answer every time, errors instead of hangs, timelines.

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.hpp"
#include "sim/engine/replayer.hpp"
#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename ExpectedError>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ExpectedError& error) {
    return error.what();
  }
  return "no error";
}

SimulationResult simulate_busy_step() {
  ToyStep step(Grid(2, 2, 2, 2));
  RankContext& context = step.context();
  for (int layer = 0; layer < 4; ++layer) {
    Pending gather = start_all_gather(context, Stream::comm_z_gather, Axis::z,
                                      step.buffer(41'000'000), MemoryKind::workspace);
    step.kernel(1.7);
    all_reduce(context, Axis::x, step.buffer(73'000'000));
    join(context, gather);
    Pending reduce =
        start_all_reduce(context, Stream::comm_data, Axis::data, step.buffer(97'000'000));
    all_reduce(context, Axis::y, step.buffer(31'000'000));
    join(context, reduce);
  }
  SimulationOptions options;
  options.traced_ranks = {0, 5};
  return step.simulate(toy_machine("tapered", 3), options);
}

/// Every bit of a result.
std::string print(const SimulationResult& result) {
  std::string text =
      fmt::format("{:a} {:a} {}\n", result.step_time, result.compute_idle, result.flows);
  for (const CollectiveTime& time : result.collectives) {
    text +=
        fmt::format("{} {} {:a} {:a}\n", name_of(time.kind), time.count, time.busy, time.exposed);
  }
  for (const LinkUse& link : result.busiest_links)
    text += fmt::format("{} {:a}\n", link.name, link.utilisation);
  for (const Interval& interval : result.timeline) {
    text += fmt::format("{} {} {} {:a} {:a}\n", interval.rank, name_of(interval.stream),
                        interval.name, interval.begin, interval.end);
  }
  return text;
}

std::string in_own_process(const std::function<std::string()>& work) {
  std::array<int, 2> channel{};
  if (pipe(channel.data()) != 0) return "no pipe";
  if (fork() == 0) {
    FILE* out = fdopen(channel[1], "w");
    std::fputs(work().c_str(), out);
    std::fclose(out);
    _exit(0);
  }
  close(channel[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(channel[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(channel[0]);
  wait(nullptr);
  return text;
}

TEST(Replay, TwoRunsAreIdentical) {
  const auto run = [] { return print(simulate_busy_step()); };
  const std::string first = in_own_process(run);
  EXPECT_EQ(first, in_own_process(run));
  EXPECT_GT(std::count(first.begin(), first.end(), '\n'), 30);
}

TEST(Replay, SimulationsFollowEachOtherInOneProcess) {
  const SimulationResult first = simulate_busy_step();
  const SimulationResult second = simulate_busy_step();
  EXPECT_NEAR(second.step_time, first.step_time, 1e-12 * first.step_time);
  EXPECT_EQ(second.timeline.size(), first.timeline.size());
}

TEST(Replay, TimelineShowsEveryKernelAndCollectiveOfTracedRanks) {
  ToyStep step(Grid(2, 1, 1, 1));
  {
    Range range(step.recorder(), "forward");
    step.kernel(1);
    step.kernel(2);
  }
  all_reduce(step.context(), Axis::x, step.buffer(1'000'000'000));
  const StepProgram program = step.program();
  SimulationOptions options;
  options.traced_ranks = {1};
  const SimulationResult result =
      simulate(program, Grid(2, 1, 1, 1), toy_machine("flat", 4), options);
  ASSERT_EQ(result.timeline.size(), 3U);
  const auto& [first, second, reduction] =
      std::tie(result.timeline[0], result.timeline[1], result.timeline[2]);
  EXPECT_EQ(first.rank, 1);
  EXPECT_EQ(first.name, "fill");
  EXPECT_EQ(program.ranges.at(static_cast<std::size_t>(first.range)), "forward");
  EXPECT_DOUBLE_EQ(first.end, 1e-3);
  EXPECT_DOUBLE_EQ(second.begin, first.end);
  EXPECT_DOUBLE_EQ(second.end, 3e-3);
  EXPECT_EQ(reduction.name, "all_reduce x");
  EXPECT_EQ(reduction.stream, Stream::comm_x);
  EXPECT_DOUBLE_EQ(reduction.begin, 3e-3);
  EXPECT_DOUBLE_EQ(reduction.end, result.step_time);
}

TEST(Replay, ProgressEndsAtOne) {
  ToyStep step(Grid(4, 1, 1, 1));
  for (int i = 0; i < 10; ++i) all_reduce(step.context(), Axis::x, step.buffer(1'000'000));
  std::vector<double> fractions;
  SimulationOptions options;
  options.progress = [&](double fraction) { fractions.push_back(fraction); };
  step.simulate(toy_machine("flat", 4), options);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  ASSERT_FALSE(fractions.empty());
  EXPECT_EQ(fractions.back(), 1.0);
}

TEST(Replay, RefusesMoreRanksThanGpus) {
  ToyStep step(Grid(17, 1, 1, 1));
  EXPECT_THAT(message_of<ConfigError>([&] { step.simulate(toy_machine("flat", 4)); }),
              AllOf(HasSubstr("17 ranks"), HasSubstr("16 GPUs")));
}

TEST(Replay, RefusesToTraceARankThatIsNotThere) {
  ToyStep step(Grid(2, 1, 1, 1));
  SimulationOptions options;
  options.traced_ranks = {2};
  EXPECT_THAT(message_of<ConfigError>([&] { step.simulate(toy_machine("flat", 4), options); }),
              HasSubstr("cannot trace rank 2: the grid has ranks 0 to 1"));
}

TEST(Replay, RefusesAPlatformWithoutThePorts) {
  const Grid grid(1, 1, 4, 1);
  Machine machine = toy_machine("flat", 1);
  machine.nics_per_node = 8;  // rank 2 then asks for nic-16
  const StepProgram program = one_collective(grid, CollectiveKind::all_gather, Axis::z, 1600);
  EXPECT_THAT(message_of<ConfigError>([&] { simulate(program, grid, machine); }),
              HasSubstr("no host \"nic-16\""));
}

TEST(Replay, RefusesASecondPlatform) {
  ToyStep step(Grid(2, 1, 1, 1));
  step.simulate(toy_machine("flat", 4));
  EXPECT_THAT(message_of<BackendError>([&] { step.simulate(toy_machine("tapered", 4)); }),
              HasSubstr("one platform per process"));
}

TEST(Replay, WaitForAnEventNeverRecorded) {
  ToyStep step(Grid(2, 1, 1, 1));
  step.recorder().wait(Stream::compute, Event{7});
  EXPECT_THAT(message_of<BackendError>([&] { step.simulate(toy_machine("flat", 4)); }),
              HasSubstr("stream compute waits for event 7, which the step never records"));
}

TEST(Replay, StreamsThatWaitForEachOtherAreADeadlock) {
  StepProgram program;
  program.ranges = {""};
  program.ops = {{WaitOp{Stream::compute, {0}}},
                 {RecordOp{Stream::compute, {1}}},
                 {WaitOp{Stream::comm_x, {1}}},
                 {RecordOp{Stream::comm_x, {0}}}};
  SimulationOptions every_rank;
  every_rank.fold = Fold::off;
  EXPECT_THAT(message_of<BackendError>(
                  [&] { simulate(program, Grid(2, 1, 1, 1), toy_machine("flat", 4), every_rank); }),
              AllOf(HasSubstr("deadlock"),
                    HasSubstr("rank 0: compute waits for event 0, comm_x waits for event 1"),
                    HasSubstr("rank 1:")));
}

TEST(Replay, MembersInDifferentCollectivesAreADeadlock) {
  // Two rings over ranks 0 and 1; rank 0 goes into the first, rank 1 into the second.
  const Machine machine = toy_machine("flat", 4);
  const Grid grid(2, 1, 1, 1);
  Network& network = Network::load(machine.file);
  const StepProgram recorded = one_collective(grid, CollectiveKind::all_reduce, Axis::x, 1'000'000);
  const ReplayProgram program = compile(recorded, grid, KernelModel(machine.gpu));
  Communicators communicators = lay_out(program.communicators, grid, machine, network);
  communicators.rings.push_back(communicators.rings[0]);
  communicators.communicator_of_ring.push_back(0);
  communicators.ring_of_rank[0] = {0, 1};
  const Folding folding = no_folding(communicators, 2);
  Ledger ledger(program, folding, {});
  const CollectiveModel model(machine.library, {.nic_bandwidth = 10e9, .port_bandwidth = 100e9});
  const WorkPace pace({}, folding);
  Replayer replayer(program, folding, pace, model, network, ledger);
  const auto transport = make_macro_flow_transport(
      communicators.rings, true, network,
      [&](int ring, Seconds end) { replayer.collective_done(ring, end); });
  EXPECT_THAT(message_of<BackendError>([&] { replayer.run(*transport, nullptr); }),
              AllOf(HasSubstr("deadlock"), HasSubstr("after 0 of 2 collectives"),
                    HasSubstr("rank 0: compute waits for event 1, comm_x waits in all_reduce x")));
}

TEST(Network, ASecondTryAfterARefusedPlatformIsAnErrorToo) {
  const auto load = [] { Network::load("/absent/platform.xml"); };
  EXPECT_THAT(message_of<BackendError>(load), HasSubstr("SimGrid refuses the platform"));
  EXPECT_THAT(message_of<BackendError>(load), HasSubstr("load it in another process"));
}

}  // namespace
}  // namespace fourfold::sim
