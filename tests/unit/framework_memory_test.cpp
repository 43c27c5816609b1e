// Memory beside the tensors: which communicators a step needs, what they and the rest take.

#include "core/cost/framework_memory.hpp"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/cost/gpu_spec.hpp"
#include "core/schedule/train_step.hpp"
#include "tests/unit/analytic_data.hpp"

namespace fourfold {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr Bytes kMiB = 1 << 20;

std::filesystem::path frameworks() {
  return std::filesystem::path(FOURFOLD_SOURCE_DIR) / "platforms/frameworks";
}

/// In units of one byte, so that sums can be done by hand.
FrameworkMemory small_numbers() {
  FrameworkMemory framework;
  framework.context = 100;
  framework.communicator = {
      .fixed = 10, .per_channel_and_peer = 3, .channels = 4, .peers = 2, .first_extra = 7};
  framework.workspace = 5;
  framework.fragmentation = 0.25;
  return framework;
}

TEST(Communicators, AreCountedOnceForTheSameMembers) {
  EXPECT_THAT(communicator_sizes(Grid(2, 3, 5, 7)),
              UnorderedElementsAre(2, 3, 5, 7, 6, 35, 30));  // x y z data xy z+data xyz
  EXPECT_THAT(communicator_sizes(Grid(4, 1, 8, 1)), UnorderedElementsAre(4, 8, 32));
  EXPECT_THAT(communicator_sizes(Grid(1, 1, 1, 8)), UnorderedElementsAre(8));
  EXPECT_THAT(communicator_sizes(Grid()), IsEmpty());
}

// The list of axes in communicator_sizes() is that of what a step does.
TEST(Communicators, AreThoseOfARecordedStep) {
  TrainConfig train;
  train.grid = Grid(2, 2, 2, 2);
  train.batch = 48;
  train.sequence = 12;
  std::multiset<int> used;
  std::set<AxisSet> axes;
  for (const Op& op : record_train_step(small_gpt(), train).ops) {
    const auto* collective = std::get_if<CollectiveOp>(&op.action);
    if (collective && axes.insert(collective->collective.group).second) {
      used.insert(train.grid.size(collective->collective.group));
    }
  }
  const std::vector<int> counted = communicator_sizes(train.grid);
  EXPECT_EQ(used, std::multiset<int>(counted.begin(), counted.end()));
}

// 4x1x2x1: groups of 4, 2 and 8. Fixed 3 x 10, once 7; connections of 4 channels to 2, 1 and 2 peers: 20 x 3.
TEST(FrameworkMemory, AddsUpByHand) {
  const FrameworkUse use = framework_use(small_numbers(), Grid(4, 1, 2, 1), 1001);
  EXPECT_EQ(use.context, 100);
  EXPECT_EQ(use.communicators, 30 + 7 + 60);
  EXPECT_EQ(use.workspace, 5);
  EXPECT_EQ(use.fragmentation, 251);  // a quarter, rounded up
  EXPECT_EQ(use.total(), 453);
  EXPECT_EQ(framework_use(small_numbers(), Grid(), 0).communicators, 0);
  EXPECT_EQ(framework_use({}, Grid(4, 1, 2, 1), 1001).total(), 0);
}

// 202 bytes are gone; of 1,202 others 1,000 / 1.25 = 800 are left for tensors.
TEST(FrameworkMemory, LeavesTheRestToTensors) {
  const Grid grid(4, 1, 2, 1);
  EXPECT_EQ(memory_for_tensors(small_numbers(), grid, 1202), 800);
  EXPECT_EQ(800 + framework_use(small_numbers(), grid, 800).total(), 1202);
  EXPECT_EQ(memory_for_tensors(small_numbers(), grid, 202), 1);
  EXPECT_EQ(memory_for_tensors({}, grid, 1202), 1202);
}

// NVIDIA/nccl issue 964: 544 for a group of two, 688 for a larger one. LUMI: 1 GiB, then 0.65 GiB each.
TEST(FrameworkMemory, ShippedFilesGiveThePublishedSizes) {
  const FrameworkMemory cuda = read_framework_memory(frameworks() / "pytorch-cuda.json");
  EXPECT_EQ(framework_use(cuda, Grid(2, 1, 1, 1), 0).communicators, 544 * kMiB);
  EXPECT_EQ(framework_use(cuda, Grid(4, 1, 1, 1), 0).communicators, 688 * kMiB);
  const FrameworkMemory rocm = read_framework_memory(frameworks() / "pytorch-rocm.json");
  EXPECT_EQ(framework_use(rocm, Grid(8, 1, 1, 1), 0).communicators, 1024 * kMiB);
  EXPECT_EQ(framework_use(rocm, Grid(4, 1, 2, 1), 0).communicators, (1024 + 2 * 666) * kMiB);
}

TEST(FrameworkMemory, EveryGpuNamesAFile) {
  for (const auto& entry : std::filesystem::directory_iterator(frameworks() / "../gpus")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = read_gpu_spec(entry.path()).framework;
    EXPECT_TRUE(std::filesystem::is_regular_file(frameworks() / (name + ".json"))) << entry.path();
  }
}

TEST(FrameworkMemory, RefusesAFileThatIsNotOne) {
  EXPECT_THAT([] { read_framework_memory(frameworks() / "../gpus/h100-sxm.json"); },
              ThrowsMessage<ConfigError>(HasSubstr("context")));
}

}  // namespace
}  // namespace fourfold
