#include <cmath>

#include <gtest/gtest.h>

#include "core/cost/attention_model.hpp"
#include "core/cost/kernel_model.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

/// 4 multiprocessors, attention of 100 TFLOP/s at head dimension 64, 200 at 128, 240 at 256.
GpuSpec toy_gpu() {
  GpuSpec gpu;
  gpu.multiprocessors = 4;
  gpu.peak_flops = 4e14;
  gpu.peak_flops_fp32 = 1e14;
  gpu.memory_bandwidth = 1e12;
  gpu.attention_forward = {.rate_64 = 100e12,
                           .rate_128 = 200e12,
                           .rate_256 = 240e12,
                           .half_sequence = 256,
                           .exponent = 1.0,
                           .launch_time = 3e-6};
  gpu.attention_backward = gpu.attention_forward;
  gpu.memory_bound = {.elementwise = 0.8,
                      .reduction = 0.5,
                      .layer_norm_backward = 0.4,
                      .softmax = 0.25,
                      .embedding = 0.2,
                      .optimizer = 0.1,
                      .launch_time = 1e-6};
  gpu.tiles = {{128, 128}};
  return gpu;
}

// batch 2, S = 256, d = 64: w = 2 x 2 / 4 = 1, u = 1; R = 100e12 / (1 + 1) = 50e12.
// F = 2 x 2 x 256^2 x 64 = 16.777216e6; time = 3e-6 + 0.33554432e-6; backward 2.5 F.
TEST(AttentionModel, SaturatesWithTheSequence) {
  const AttentionShape shape{.batch = 2, .sequence = 256, .head_dim = 64};
  EXPECT_NEAR(flash_attention_forward_time(shape, toy_gpu()), 3e-6 + 0.33554432e-6, 1e-16);
  EXPECT_NEAR(flash_attention_backward_time(shape, toy_gpu()), 3e-6 + 2.5 * 0.33554432e-6, 1e-16);
}

// batch 3: w = 1.5, u = 1.5 / (2/2 + 1.5/2) = 0.857142857; batch 1: w = 0.5, u = 0.5 / (1/2 + 1/2)
// = 0.5.
TEST(AttentionModel, LosesHalfOfAPartialWave) {
  const Seconds full = 0.33554432e-6 / 2;  // of one of the batch at u = 1
  const auto busy = [](std::int64_t batch) {
    return flash_attention_forward_time({.batch = batch, .sequence = 256, .head_dim = 64},
                                        toy_gpu()) -
           3e-6;
  };
  EXPECT_NEAR(busy(3), 3 * full / 0.857142857142857, 1e-16);
  EXPECT_NEAR(busy(1), full / 0.5, 1e-16);
}

// At S >> S0 and full waves: rate 150 at d = 96, 220 at 192, 240 at 512, 50 at 32; a quarter of it
// in fp32.
TEST(AttentionModel, InterpolatesOverHeadDimensionAndScalesType) {
  GpuSpec gpu = toy_gpu();
  gpu.attention_forward.half_sequence = 1e-9;
  const auto rate_TFLOPS = [&](std::int64_t head_dim, DType dtype) {
    const Seconds time =
        flash_attention_forward_time(
            {.dtype = dtype, .batch = 4, .sequence = 512, .head_dim = head_dim}, gpu) -
        3e-6;
    return 2.0 * 4 * 512 * 512 * static_cast<double>(head_dim) / time / kTera;
  };
  EXPECT_NEAR(rate_TFLOPS(96, DType::bfloat16), 150, 1e-3);
  EXPECT_NEAR(rate_TFLOPS(192, DType::bfloat16), 220, 1e-3);
  EXPECT_NEAR(rate_TFLOPS(512, DType::bfloat16), 240, 1e-3);
  EXPECT_NEAR(rate_TFLOPS(32, DType::bfloat16), 50, 1e-3);
  EXPECT_NEAR(rate_TFLOPS(128, DType::float32), 50, 1e-3);
}

struct MeasuredRate {
  std::int64_t head_dim, sequence;
  double rate_TFLOPS;
};

// A100-80GB, causal, forward and backward, 16,384 tokens and 2,048 channels: README figure of
// FlashAttention-2.
TEST(AttentionModel, AgreesWithFlashAttention2OnA100) {
  const GpuSpec gpu = shipped_gpu("a100-sxm4-80");
  for (const MeasuredRate& measured :
       {MeasuredRate{64, 512, 88}, MeasuredRate{64, 1024, 119}, MeasuredRate{64, 2048, 140},
        MeasuredRate{64, 4096, 156}, MeasuredRate{64, 16384, 171}, MeasuredRate{128, 512, 99},
        MeasuredRate{128, 1024, 133}, MeasuredRate{128, 2048, 155},
        MeasuredRate{128, 16384, 189}}) {
    const AttentionShape shape{.batch = 16384 / measured.sequence * (2048 / measured.head_dim),
                               .sequence = measured.sequence,
                               .head_dim = measured.head_dim};
    const Seconds time =
        flash_attention_forward_time(shape, gpu) + flash_attention_backward_time(shape, gpu);
    const double flops = 3.5 * 2.0 * static_cast<double>(shape.batch * shape.sequence) *
                         static_cast<double>(shape.sequence * shape.head_dim);
    EXPECT_NEAR(flops / time / kTera, measured.rate_TFLOPS, 0.02 * measured.rate_TFLOPS)
        << measured.head_dim << " " << measured.sequence;
  }
}

TEST(AttentionModel, AddsUpTheKernelsOfUnfusedAttention) {
  const GpuSpec gpu = shipped_gpu("a100-sxm4-80");
  const AttentionShape shape{.batch = 8, .sequence = 1024, .head_dim = 64};
  const GemmShape scores{.layout = GemmLayout::tn, .m = 1024, .n = 1024, .k = 64, .batch = 8};
  const GemmShape values{.layout = GemmLayout::nn, .m = 64, .n = 1024, .k = 1024, .batch = 8};
  // Softmax: 2 passes of 8 x 1024^2 x 2 bytes at 0.6 of 2.039 TB/s, and 1.3 us.
  const Seconds softmax = 1.3e-6 + 2 * 16777216 / (0.6 * 2.039e12);
  EXPECT_NEAR(unfused_attention_forward_time(shape, gpu, ClockMode::training),
              gemm_time(scores, gpu, ClockMode::training) + softmax +
                  gemm_time(values, gpu, ClockMode::training),
              1e-15);
  EXPECT_GT(unfused_attention_backward_time(shape, gpu, ClockMode::training),
            2 * unfused_attention_forward_time(shape, gpu, ClockMode::training) - softmax);
}

TEST(KernelModel, TakesAttentionShapesFromTheKernel) {
  const GpuSpec gpu = shipped_gpu("a100-sxm4-40");
  const KernelModel model(gpu);
  AttentionForward attention;
  attention.qkv = tensor_of({2 * 1024, 3, 8, 64}, DType::bfloat16);
  attention.output = tensor_of({2 * 1024, 8 * 64}, DType::bfloat16);
  attention.heads = 8;
  attention.head_dim = 64;
  attention.sequence = 1024;
  const AttentionShape shape{.batch = 16, .sequence = 1024, .head_dim = 64};
  EXPECT_EQ(model.time(attention), flash_attention_forward_time(shape, gpu));
  attention.algorithm = AttentionAlgorithm::unfused;
  EXPECT_EQ(model.time(attention), unfused_attention_forward_time(shape, gpu, ClockMode::training));
}

// bf16 tensors of 1,000,000 elements are 2 MB.
TEST(KernelModel, ChargesBytesOverTheFamilysBandwidth) {
  const KernelModel model(toy_gpu());
  const Tensor million = tensor_of({1000, 1000}, DType::bfloat16);
  const Tensor wide = tensor_of({1000, 1000}, DType::float32);
  EXPECT_NEAR(model.time(Cast{million, wide}), 1e-6 + 6e6 / 0.8e12, 1e-15);  // 2 + 4 MB
  EXPECT_NEAR(model.time(Fill{wide}), 1e-6 + 4e6 / 0.8e12, 1e-15);
  EXPECT_NEAR(model.time(RowMoments{million, tensor_of({1000, 2}, DType::float32)}),
              1e-6 + 2.008e6 / 0.5e12, 1e-15);  // 2 MB + 1000 x 2 x 4
  EXPECT_NEAR(model.time(RowMax{wide, tensor_of({1000}, DType::float32)}), 1e-6 + 4.004e6 / 0.25e12,
              1e-15);
  EXPECT_NEAR(model.time(Accumulate{million, wide}), 1e-6 + 10e6 / 0.8e12, 1e-15);  // 2 + 2 x 4 MB
}

TEST(KernelModel, RemembersShapesWithoutMixingThemUp) {
  const GpuSpec gpu = shipped_gpu("a100-sxm4-40");
  const KernelModel model(gpu, ClockMode::benchmark);
  for (int round = 0; round < 2; ++round) {
    for (const std::int64_t m : {64, 128, 4096}) {
      for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn}) {
        const GemmShape shape{.layout = layout, .m = m, .n = 2 * m, .k = 512};
        EXPECT_EQ(model.time(shape), gemm_time(shape, gpu, ClockMode::benchmark));
      }
    }
  }
}

TEST(GpuSpec, ReadsEveryShippedFile) {
  EXPECT_GE(shipped_gpus().size(), 6U);
  for (const std::string& name : shipped_gpus()) {
    const GpuSpec gpu = shipped_gpu(name);
    EXPECT_LT(gpu.empirical_peak_flops, gpu.peak_flops) << name;
    EXPECT_GT(gpu.memory, Bytes{30} << 30) << name;
  }
  const GpuSpec a100 = shipped_gpu("a100-sxm4-40");
  EXPECT_EQ(a100.memory, Bytes{40} << 30);
  EXPECT_DOUBLE_EQ(a100.memory_bandwidth, 1.555e12);
  EXPECT_DOUBLE_EQ(a100.peak_flops_of(DType::bfloat16), 312e12);
  EXPECT_DOUBLE_EQ(a100.peak_flops_of(DType::float32), 19.5e12);
}

}  // namespace
}  // namespace fourfold
