#pragma once
// Time of causal self-attention, sequences of length S, heads of dimension d, in `batch` =
// sequences x heads.
//
// Flash attention is one kernel whose rate saturates with S. One block of 128 queries of one head
// fills one of the n_sm multiprocessors:
//
//     w = batch ceil(S / 128) / n_sm                      waves
//     u = w / (ceil(w) / 2 + max(w, 1) / 2)               how full they are; half of a partial wave
//     is lost R = Rinf(d) / (1 + (S0 / S)^gamma) u                FLOP/s time = t0 + F / R F = 4
//     batch S^2 d / 2 forward, 2.5 times that backward
//
// F is half of what flops() counts because the kernels skip what the causal mask hides. Rinf is
// interpolated linearly between the head dimensions 64, 128 and 256, constant above and
// proportional to d below.
//
// Unfused attention is batched GEMMs and softmax passes over S x S, nothing skipped.

#include "core/cost/gemm_model.hpp"

namespace fourfold {

struct AttentionShape {
  DType dtype = DType::bfloat16;
  std::int64_t batch = 0, sequence = 0, head_dim = 0;
};

Seconds flash_attention_forward_time(const AttentionShape& shape, const GpuSpec& gpu);
Seconds flash_attention_backward_time(const AttentionShape& shape, const GpuSpec& gpu);
Seconds unfused_attention_forward_time(const AttentionShape& shape, const GpuSpec& gpu,
                                       ClockMode mode);
Seconds unfused_attention_backward_time(const AttentionShape& shape, const GpuSpec& gpu,
                                        ClockMode mode);

}  // namespace fourfold
