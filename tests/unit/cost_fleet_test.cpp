#include <gtest/gtest.h>

#include "core/cost/gpu_fleet.hpp"
#include "core/cost/kernel_model.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

TEST(GpuFleet, OneGpuIsTheMean) {
  EXPECT_DOUBLE_EQ(slowdown({.speed = 1, .spread = 0.1}, 1), 1.0);
  EXPECT_DOUBLE_EQ(slowdown({.speed = 0.5, .spread = 0.1}, 1), 2.0);
}

TEST(GpuFleet, EqualGpusAreEquallyFast) {
  EXPECT_DOUBLE_EQ(slowdown({}, 32768), 1.0);
}

// Exact expectations of the largest of n standard normal deviates (Harter, Biometrika 48, 1961): 0.5642 for 2,
// 1.5388 for 10, 2.5076 for 100, 3.2414 for 1,000. Blom's formula is within 5, 1, 1 and 1 %.
TEST(GpuFleet, TheSlowestOfManyFollowsTheNormalDistribution) {
  const GpuFleet fleet{.speed = 1, .spread = 0.1};
  EXPECT_NEAR(slowdown(fleet, 2), 1.05642, 0.05 * 0.0564);
  EXPECT_NEAR(slowdown(fleet, 10), 1.15388, 0.01 * 0.1539);
  EXPECT_NEAR(slowdown(fleet, 100), 1.25076, 0.01 * 0.2508);
  EXPECT_NEAR(slowdown(fleet, 1000), 1.32414, 0.01 * 0.3241);
}

TEST(GpuFleet, StretchesEveryKernel) {
  const GpuSpec gpu = shipped_gpu("a100-sxm4-40");
  const KernelModel model(gpu, ClockMode::training), slow(gpu, ClockMode::training, 1.25);
  const GemmShape shape{.m = 4096, .n = 4096, .k = 4096};
  EXPECT_DOUBLE_EQ(slow.time(shape), 1.25 * model.time(shape));
}

}  // namespace
}  // namespace fourfold
