// fourfold-train that is asked to stop, or loses a rank.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "core/base/counter_random.hpp"
#include "real/checkpoint/checkpoint.hpp"
#include "real/checkpoint/staging.hpp"
#include "tests/train/program_runner.hpp"

namespace fourfold::test {
namespace {

using testing::HasSubstr;

constexpr const char* kForEver = "--steps 100000 --save-every 1 --log-every 100000 ";

class StopTest : public ProgramTest {
 protected:
  /// The latest checkpoint is complete and its sums are right.
  void expect_whole_checkpoint(const std::string& name) const {
    const auto latest = real::latest_checkpoint(path(name));
    ASSERT_TRUE(latest);
    real::Checkpoint(*latest).verify(0, 1);
  }
};

TEST_F(StopTest, SignalsEndTheStepWithACheckpointFromWhichTheRunContinuesBitForBit) {
  for (int signal : {SIGUSR1, SIGTERM}) {
    const std::string name = fmt::format("stopped-{}", signal);
    BackgroundRun stopped(flags("--steps 200000 --warmup 0 --save-every 20 " + out(name)));
    await_checkpoint(stopped, name, 20);
    ::kill(stopped.pid(), signal);
    const Outcome outcome = stopped.wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    const std::size_t steps = metrics(name).size();
    EXPECT_THAT(outcome.output,
                HasSubstr(fmt::format("stopped by a signal after step {} of 200000", steps)));
    expect_whole_checkpoint(name);
  }
  // The schedule of the learning rate spans --steps, so the straight run stops where the other one does: by a signal.
  const std::string name = fmt::format("stopped-{}", SIGUSR1);
  const std::size_t first_steps = losses(name).size();
  BackgroundRun resumed(
      flags("--steps 200000 --warmup 0 --save-every 1 --resume --quiet " + out(name)));
  await_checkpoint(resumed, name, static_cast<std::int64_t>(first_steps) + 3);
  ::kill(resumed.pid(), SIGUSR1);
  EXPECT_EQ(resumed.wait().exit_code, 0);
  const std::vector<double> all = losses(name);
  BackgroundRun straight(
      flags(fmt::format("--steps 200000 --warmup 0 --save-every {} --quiet ", all.size()) +
            out("straight")));
  await_checkpoint(straight, "straight", static_cast<std::int64_t>(all.size()));
  ::kill(straight.pid(), SIGUSR1);
  straight.wait();
  std::vector<double> expected = losses("straight");
  ASSERT_GE(expected.size(), all.size());
  expected.resize(all.size());
  EXPECT_EQ(all, expected);
}

TEST_F(StopTest, ASignalToMpirunStopsAllRanks) {
  BackgroundRun stopped(flags(kForEver + out("run") + " --grid 2x1x1x1"), mpirun(2));
  await_checkpoint(stopped, "run", 2);
  ::kill(stopped.pid(), SIGUSR1);
  const Outcome outcome = stopped.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("stopped by a signal after step"));
  expect_whole_checkpoint("run");
}

TEST_F(StopTest, AKilledRankStopsTheJobWithAMessageAndLeavesTheLastCheckpointWhole) {
  constexpr std::uint64_t kKills = 3;
  constexpr double kLongestDelay = 0.1;  // s: several steps and checkpoints
  for (std::uint64_t i = 0; i < kKills; ++i) {
    const std::string name = fmt::format("run-{}", i);
    BackgroundRun job(flags(kForEver + out(name) + " --grid 2x1x1x1"), mpirun(2));
    await_checkpoint(job, name, 1);
    ::usleep(static_cast<useconds_t>(1e6 * kLongestDelay *
                                     random_uniform(random_key(7, "kill of a rank"), i)));
    const std::vector<pid_t> watchers = children_of(job.pid());
    ASSERT_EQ(watchers.size(), 2U);
    const std::vector<pid_t> ranks = children_of(watchers[1]);
    ASSERT_EQ(ranks.size(), 1U);
    ::kill(ranks[0], SIGKILL);
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = job.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("rank 1 was killed by signal 9 (Killed)"));
    expect_whole_checkpoint(name);
  }
}

}  // namespace
}  // namespace fourfold::test
