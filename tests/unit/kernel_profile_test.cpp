// Measured kernel times in place of modelled ones, with rows made by hand.

#include "core/cost/kernel_profile.hpp"

#include <gtest/gtest.h>

#include "core/cost/kernel_model.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

GemmShape shape(std::int64_t n, std::int64_t m = 512) {
  return {.layout = GemmLayout::tn, .m = m, .n = n, .k = 256};
}

/// One microsecond for each column.
Seconds model(const GemmShape& gemm) {
  return static_cast<double>(gemm.n) * kMicro;
}

TEST(KernelProfile, ExactShapesTakeTheNewestMeasurement) {
  KernelProfile profile;
  profile.add_gemm(shape(1000), 5.0);
  profile.add_gemm(shape(1000), 7.0);
  EXPECT_EQ(profile.gemm_time(shape(1000), model), 7.0);
  GemmShape other = shape(1000);
  other.layout = GemmLayout::nn;
  EXPECT_FALSE(profile.gemm_time(other, model));
  EXPECT_FALSE(profile.gemm_time(shape(1000, 513), model));
  other = shape(1000);
  other.dtype = DType::float32;
  EXPECT_FALSE(profile.gemm_time(other, model));
}

// Twice the modelled time at n = 1,000, three times at 1,500: 2.5 times 1,250 us between them.
TEST(KernelProfile, InterpolatesTheRatioBetweenNearShapes) {
  KernelProfile profile;
  profile.add_gemm(shape(1000), 2 * model(shape(1000)));
  profile.add_gemm(shape(1500), 3 * model(shape(1500)));
  EXPECT_NEAR(*profile.gemm_time(shape(1250), model), 2.5 * 1250 * kMicro, 1e-12);
  EXPECT_NEAR(*profile.gemm_time(shape(1100), model), 2.2 * 1100 * kMicro, 1e-12);
  EXPECT_FALSE(profile.gemm_time(shape(999), model));
  EXPECT_FALSE(profile.gemm_time(shape(1501), model));
}

TEST(KernelProfile, DoesNotInterpolateOverMoreThanOneAndAHalf) {
  KernelProfile profile;
  profile.add_gemm(shape(1000), 1.0);
  profile.add_gemm(shape(1501), 1.0);
  EXPECT_FALSE(profile.gemm_time(shape(1250), model));
}

TEST(KernelProfile, AttentionIsExact) {
  KernelProfile profile;
  const AttentionShape measured = {.batch = 32, .sequence = 2048, .head_dim = 128};
  profile.add_attention("attention_forward", measured, 3.0);
  EXPECT_EQ(profile.attention_time("attention_forward", measured), 3.0);
  EXPECT_FALSE(profile.attention_time("attention_backward", measured));
  EXPECT_FALSE(profile.attention_time("attention_forward",
                                      {.batch = 33, .sequence = 2048, .head_dim = 128}));
}

// A slow GPU is slow with measured kernels too; what is not measured keeps its modelled time.
TEST(KernelProfile, IsPreferredByTheKernelModel) {
  GpuSpec gpu = shipped_gpu("a100-sxm4-80");
  const Seconds modelled = KernelModel(gpu).time(shape(4096));
  auto profile = std::make_shared<KernelProfile>();
  profile->add_gemm(shape(1000), 5.0);
  gpu.profile = profile;
  EXPECT_DOUBLE_EQ(KernelModel(gpu).time(shape(1000)), 5.0);
  EXPECT_DOUBLE_EQ(KernelModel(gpu, ClockMode::training, 2.0).time(shape(1000)), 10.0);
  EXPECT_DOUBLE_EQ(KernelModel(gpu).time(shape(4096)), modelled);
}

}  // namespace
}  // namespace fourfold
