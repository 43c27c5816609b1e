#include <gtest/gtest.h>

#include "core/cost/gemm_model.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

Seconds nn_time(const std::string& gpu, std::int64_t m, std::int64_t n, std::int64_t k,
                std::int64_t batch = 1) {
  return gemm_time({.m = m, .n = n, .k = k, .batch = batch}, shipped_gpu(gpu),
                   ClockMode::benchmark);
}

// Values of the Python script that fitted the constants, in microseconds to two decimals.
TEST(GemmModel, AgreesWithTheFittingScript) {
  struct Case {
    std::string gpu;
    double cube, wide, small, batched;
  };
  for (const Case& c : {Case{"a100-sxm4-80", 548.07, 873.69, 14.03, 542.71},
                        Case{"h100-sxm", 177.71, 265.73, 5.09, 219.71},
                        Case{"h200-sxm", 175.85, 262.89, 5.01, 174.14}}) {
    EXPECT_NEAR(nn_time(c.gpu, 4096, 4096, 4096) / kMicro, c.cube, 0.006) << c.gpu;
    EXPECT_NEAR(nn_time(c.gpu, 12288, 2048, 4096) / kMicro, c.wide, 0.006) << c.gpu;
    EXPECT_NEAR(nn_time(c.gpu, 1024, 512, 1024) / kMicro, c.small, 0.006) << c.gpu;
    EXPECT_NEAR(nn_time(c.gpu, 2048, 2048, 64, 64) / kMicro, c.batched, 0.006) << c.gpu;
  }
}

/// 10 multiprocessors, 1 PFLOP/s, 1 TB/s, one tile of 64 x 64, constants that make hand sums easy.
GpuSpec toy_gpu() {
  GpuSpec gpu;
  gpu.multiprocessors = 10;
  gpu.peak_flops = 1e15;
  gpu.peak_flops_fp32 = 0.5e15;
  gpu.memory_bandwidth = 1e12;
  gpu.tiles = {{64, 64}};
  GemmConstants constants;
  constants.efficiency = 0.5;
  constants.tile_loss = 0.25;
  constants.tile_time = 1e-6;
  constants.launch_time = 2e-6;
  constants.overlap_exponent = 1.0;
  constants.reduction_time = 1.0;  // no split
  constants.sustained_clock_loss = 0.1;
  constants.boost_time = 1.0;
  gpu.gemm.fill(constants);
  return gpu;
}

// T = 3 x 4 = 12 tiles in 2 waves; depth 128. tau = 2 x 64 x 64 x 128 x 10 / (0.5 x 1e15) x (1 +
// 0.25 x 2) + 1e-6 = 1.048576e6 x 2e-14 x 1.5 + 1e-6 = 1.03145728e-6; training: 2 x 1.1 x tau
// = 2.269206016e-6. mem = (2 (192 x 100 + 100 x 256) + 2 x 192 x 256) / 1e12 = (89600 + 98304) /
// 1e12 = 0.187904e-6.
TEST(GemmModel, FollowsItsEquationsOnAToyGpu) {
  const Seconds time = gemm_time({.m = 192, .n = 256, .k = 100}, toy_gpu(), ClockMode::training);
  EXPECT_NEAR(time, 2e-6 + 2.269206016e-6 + 0.187904e-6, 1e-15);
}

TEST(GemmModel, DoesNotQuantiseWavesWhenAlphaIsZero) {
  GpuSpec gpu = toy_gpu();
  for (GemmConstants& constants : gpu.gemm) constants.wave_quantisation = 0.0;
  // 12 tiles on 10 multiprocessors are 1.2 waves: 1.2 x 1.1 x 1.03145728e-6.
  const Seconds time = gemm_time({.m = 192, .n = 256, .k = 100}, gpu, ClockMode::training);
  EXPECT_NEAR(time, 2e-6 + 1.3615236096e-6 + 0.187904e-6, 1e-15);
}

// fp32 at half the peak doubles the multiply-adds, 0.03145728e-6 of tau; elements and outputs take
// 4 bytes.
TEST(GemmModel, ScalesOtherTypesByTheDataSheet) {
  const Seconds time =
      gemm_time({.dtype = DType::float32, .m = 192, .n = 256, .k = 100, .output_bytes = 4},
                toy_gpu(), ClockMode::training);
  EXPECT_NEAR(time, 2e-6 + 2.2 * (1e-6 + 2 * 0.03145728e-6) + 2 * 0.187904e-6, 1e-15);
}

// One tile with k = 256 in two parts: depth 128, one wave. Reduction: 1e-8 + 4 x 64 x 64 x 3 / 1e12
// = 5.9152e-8.
TEST(GemmModel, SplitsADeepProductOfFewTiles) {
  GpuSpec gpu = toy_gpu();
  for (GemmConstants& constants : gpu.gemm) {
    constants.tile_time = 0.0;
    constants.tile_loss = 100.0;  // tau = 2.097152e-8 x 201 = 4.21527552e-6 for depth 128
    constants.reduction_time = 1e-8;
    constants.reduction_bandwidth = 1e12;
    constants.sustained_clock_loss = 0.0;
  }
  const Seconds memory = 2 * (2 * 64 * 256 + 64 * 64) / 1e12;
  EXPECT_NEAR(gemm_time({.m = 64, .n = 64, .k = 256}, gpu, ClockMode::training),
              2e-6 + 4.21527552e-6 + memory + 5.9152e-8, 1e-15);
}

TEST(GemmModel, ChargesFp32WeightGradientsMore) {
  const GpuSpec gpu = shipped_gpu("a100-sxm4-40");
  const GemmShape forward{.layout = GemmLayout::tn, .m = 8192, .n = 4096, .k = 4096};
  GemmShape gradient = forward;
  gradient.layout = GemmLayout::nt;
  EXPECT_DOUBLE_EQ(gemm_time(gradient, gpu, ClockMode::training),
                   1.05 * gemm_time(forward, gpu, ClockMode::training));
  GemmShape accumulating = gradient;
  accumulating.output_bytes = 8;
  EXPECT_GT(gemm_time(accumulating, gpu, ClockMode::training),
            gemm_time(gradient, gpu, ClockMode::training));
}

TEST(GemmModel, NeverBeatsPeakOrBandwidth) {
  for (const std::string& name : shipped_gpus()) {
    const GpuSpec gpu = shipped_gpu(name);
    for (const std::int64_t m : {64, 1000, 4096, 32768}) {
      for (const std::int64_t k : {64, 4096, 32768}) {
        const double flops = 2.0 * static_cast<double>(m * m) * static_cast<double>(k);
        const double bytes = 2.0 * static_cast<double>(2 * m * k + m * m);
        const Seconds time = gemm_time({.m = m, .n = m, .k = k}, gpu, ClockMode::training);
        EXPECT_GT(time, flops / gpu.peak_flops) << name << " " << m << " " << k;
        EXPECT_GT(time, bytes / gpu.memory_bandwidth) << name << " " << m << " " << k;
      }
    }
  }
}

// A square product of 32,768 reaches 125 TFLOP/s on a GCD of the MI250X (AxoNN); the clock was
// chosen for that.
TEST(GemmModel, ReachesTheEmpiricalPeakOfTheMi250x) {
  const Seconds time = nn_time("mi250x-gcd", 32768, 32768, 32768);
  EXPECT_NEAR(2 * 32768.0 * 32768.0 * 32768.0 / time / kTera, 125.0, 0.5);
}

struct LayoutCase {
  bool transpose_a, transpose_b;
  GemmLayout layout;
};

TEST(GemmModel, MapsRowMajorProductsToBlas) {
  // y (5 x 7) = x (5 x 3) w (3 x 7): BLAS sees y^T (7 x 5) = w^T x^T.
  for (const LayoutCase& c :
       {LayoutCase{false, false, GemmLayout::nn}, LayoutCase{false, true, GemmLayout::tn},
        LayoutCase{true, false, GemmLayout::nt}, LayoutCase{true, true, GemmLayout::nt}}) {
    Gemm gemm;
    gemm.transpose_a = c.transpose_a;
    gemm.transpose_b = c.transpose_b;
    gemm.a = tensor_of(c.transpose_a ? Shape{3, 5} : Shape{5, 3}, DType::bfloat16);
    gemm.b = tensor_of(c.transpose_b ? Shape{7, 3} : Shape{3, 7}, DType::bfloat16);
    gemm.c = tensor_of({5, 7}, DType::float32);
    gemm.accumulate = true;
    const GemmShape expected{.layout = c.layout, .m = 7, .n = 5, .k = 3, .output_bytes = 8};
    EXPECT_TRUE(blas_shape(gemm) == expected) << c.transpose_a << c.transpose_b;
  }
}

// The library takes 10 times as long for this product as TN, and as modelled as NN or NT. Tuned, the operand that is
// stored the other way is copied first: NN needs A (m x k) read and written, 2 x 2 x 192 x 100 bytes at 0.5 x 1 TB/s =
// 0.1536 us, NT both operands.
TEST(GemmModel, TuningTakesTheFastestLayoutAndPaysForTheCopies) {
  GpuSpec gpu = toy_gpu();
  gpu.memory_bound.elementwise = 0.5;
  gpu.slow_products = {{.layout = GemmLayout::tn, .m = 192, .k = 100, .factor = 10.0}};
  const GemmShape tn{.layout = GemmLayout::tn, .m = 192, .n = 256, .k = 100};
  GemmShape nn = tn;
  nn.layout = GemmLayout::nn;
  const Seconds modelled = gemm_time(nn, gpu, ClockMode::training);
  EXPECT_DOUBLE_EQ(gemm_time(tn, gpu, ClockMode::training), 10.0 * modelled);
  gpu.tunes_products = true;
  EXPECT_DOUBLE_EQ(gemm_time(tn, gpu, ClockMode::training), modelled + 0.1536e-6);
  EXPECT_DOUBLE_EQ(gemm_time(nn, gpu, ClockMode::training), modelled);
}

TEST(GemmModel, OnlyTheListedProductIsSlow) {
  GpuSpec gpu = toy_gpu();
  gpu.slow_products = {{.layout = GemmLayout::tn, .m = 192, .k = 100, .factor = 10.0}};
  const GemmShape other{.layout = GemmLayout::tn, .m = 192, .n = 256, .k = 101};
  EXPECT_DOUBLE_EQ(gemm_time(other, gpu, ClockMode::training),
                   gemm_time(other, toy_gpu(), ClockMode::training));
}

}  // namespace
}  // namespace fourfold
