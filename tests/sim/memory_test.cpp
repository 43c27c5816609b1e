// Memory foreseen: what a replay will need, what the computer has left, and the refusal in between.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "sim/engine/available_memory.hpp"
#include "sim/engine/memory_need.hpp"
#include "tests/sim/toy.hpp"
#include "tests/support/temporary_directory.hpp"

namespace fourfold::sim {
namespace {

namespace fs = std::filesystem;

/// A directory with proc/ and sys/ as the kernel would fill them.
class FakeSystem : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& content) {
    fs::create_directories((root_ / file).parent_path());
    root_.file(file, content);
  }
  Bytes available() const { return available_memory(root_.path()); }

 private:
  test::TemporaryDirectory root_;
};

TEST_F(FakeSystem, WithoutAnythingToldMemoryIsUnlimited) {
  EXPECT_EQ(available(), kUnlimitedMemory);
}

TEST_F(FakeSystem, MemAvailableCounts) {
  write("proc/meminfo", "MemTotal:  8000 kB\nMemFree:  1000 kB\nMemAvailable:  3000 kB\n");
  EXPECT_EQ(available(), 3000 * 1024);
}

TEST_F(FakeSystem, TheTightestControlGroupCounts) {
  write("proc/meminfo", "MemAvailable: 3000 kB\n");
  write("proc/self/cgroup", "0::/slice/job\n");
  write("sys/fs/cgroup/slice/job/memory.max", "max\n");
  write("sys/fs/cgroup/slice/job/memory.current", "500\n");
  write("sys/fs/cgroup/slice/memory.max", "9000\n");
  write("sys/fs/cgroup/slice/memory.current", "6000\n");
  write("sys/fs/cgroup/slice/memory.stat", "anon 4000\ninactive_file 1500\n");
  EXPECT_EQ(available(), 4500);  // 9000 - (6000 - 1500)
}

TEST_F(FakeSystem, ControlGroupsOfVersion1Count) {
  write("proc/self/cgroup", "5:devices:/\n4:memory:/job\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "9500\n");
  EXPECT_EQ(available(), 0);  // above its limit for the moment
}

TEST(AvailableMemory, IsKnownOnThisComputer) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_LT(available_memory(), kUnlimitedMemory);
}

TEST(MemoryNeed, GrowsWithReplayedRanksEventsAndGroups) {
  ReplayProgram program;
  program.communicators = {{Stream::comm_x, Axis::x}, {Stream::comm_data, Axis::data}};
  program.event_ids.resize(100);
  const MemoryNeed need = memory_need(program, Grid(2, 1, 1, 4));
  EXPECT_EQ(need.layout, 2 * 8 * 200);
  // 96 + 100 events x 8, two groups of 300, a half and a quarter of a ring of 2,000.
  EXPECT_EQ(need.per_replayed_rank, 96 + 800 + 600 + 1000 + 500);
  EXPECT_EQ(need.of(8), 3200 + 8 * 2996);
}

std::string refusal(Fold fold, Bytes limit) {
  const StepProgram program =
      one_collective(Grid(1, 1, 16, 1), CollectiveKind::all_gather, Axis::z, 1 << 20);
  SimulationOptions options;
  options.fold = fold;
  options.memory_limit = limit;
  try {
    simulate(program, Grid(1, 1, 16, 1), toy_machine("flat", 4), options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MemoryNeed, TooManyRanksAreRefusedWithTheRemedy) {
  using testing::HasSubstr;
  // 16 x 200 for the layout; a rank 96 + 300 + 2,000 / 16 + 4 events x 8 = 553.
  EXPECT_EQ(refusal(Fold::off, 20'000), "accepted");
  EXPECT_THAT(refusal(Fold::off, 8'000), HasSubstr("replaying 16 ranks needs about 0.012 MB"));
  EXPECT_THAT(refusal(Fold::off, 8'000), HasSubstr("--fold auto needs about 0.00375 MB"));
  EXPECT_EQ(refusal(Fold::automatic, 8'000), "accepted");
  EXPECT_THAT(refusal(Fold::automatic, 1'000), testing::Not(HasSubstr("--fold auto")));
}

}  // namespace
}  // namespace fourfold::sim
