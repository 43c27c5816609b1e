#pragma once
// The kernels of a training step and the tensors between them, in numbers: how long each kernel
// takes, how many FLOPs it has, how many bytes each tensor occupies. They depend on x, y and the rows
// of a micro-batch, not on z and data: a planner computes them once for many grids.
//
// Names and shapes are those of core/layers; R = rows of a micro-batch on one rank.

#include "core/cost/kernel_model.hpp"
#include "core/layers/linear.hpp"
#include "core/schedule/train_config.hpp"

namespace fourfold {

struct KernelCost {
  Seconds time = 0;
  Flops flops = 0;
};

KernelCost cost_of(const Kernel& kernel, const KernelModel& model);

/// A tensor that has a size but no storage of its own, for kernels that are only costed.
Tensor sized_tensor(Shape shape, DType dtype);

struct LinearCosts {
  Axis input_axis = Axis::y, output_axis = Axis::x;
  KernelCost forward, input_gradient, weight_gradient, bias_gradient;
  Bytes input = 0, output = 0;  ///< activations (R, k), (R, n)
  Bytes weight = 0;             ///< local block (k, n), not yet split over z
};

struct NormCosts {
  KernelCost moments, forward, backward_sums;
  KernelCost backward;           ///< of the final norm
  KernelCost backward_residual;  ///< of a block's norms, which add the residual's gradient
};

struct EmbeddingCosts {
  KernelCost forward, add_positions, positions_backward, backward;
  Bytes tokens = 0, positions = 0;  ///< local blocks (V/xy, h), (s, h/y)
};

struct HeadCosts {
  KernelCost merge_columns, logits, row_max, softmax_sums, loss, softmax_backward;
  KernelCost table_gradient, input_gradient, split_columns;
  Bytes logits_bytes = 0, logits_gradient = 0;  ///< (R, V/xy) wide and in the training type
  Bytes row_maximum = 0;                        ///< (R) wide
};

struct StepCosts {
  std::int64_t rows = 0;      ///< R
  Bytes token_ids = 0;        ///< (R) int32
  Bytes residual = 0;         ///< (R, h/y), the residual stream
  Bytes whole_rows = 0;       ///< (R, h)
  Bytes row_pairs = 0;        ///< (R, 2) wide: moments, sums
  Bytes attention_saved = 0;  ///< log-sum-exp or probabilities
  LinearCosts qkv, projection, expand, contract;
  KernelCost qkv_bias, attention_forward, attention_backward;
  KernelCost gelu, gelu_backward, bias_residual;
  KernelCost clear_scalar;
  NormCosts norm;
  EmbeddingCosts embedding;
  HeadCosts head;
};

/// Dropout is not costed: `train.dropout` must be 0.
StepCosts step_costs(const GptConfig& model, const TrainConfig& train, const KernelModel& kernels);

}  // namespace fourfold
