#pragma once
// Kernels as values: what is computed on which tensors, never how. Every backend handles every alternative of
// `Kernel`, so the compiler points at a backend that misses one.
//
// Shapes in comments: R = rows (tokens) on this rank, C = columns (features) on this rank; all row-major.
// "wide" is fp32, or fp64 when training in fp64. Sums over columns that are split over ranks come in two kernels,
// a local partial and an application, with a reduction between them that the layer issues.

#include <string_view>
#include <variant>
#include <vector>

#include "core/backend/dropout.hpp"
#include "core/base/units.hpp"
#include "core/tensor/tensor.hpp"

namespace fourfold {

/// c = op(a) op(b), or c += op(a) op(b). a (m x k) and b (k x n) after op, which transposes the stored matrix.
/// Accumulates in wide precision whatever the stored types.
struct Gemm {
  Tensor a, b, c;
  bool transpose_a = false, transpose_b = false;
  bool accumulate = false;
};

/// How softmax(q k^T / sqrt(d)) v is evaluated: `flash` keeps one log-sum-exp per row, `unfused` the probabilities.
enum class AttentionAlgorithm : std::uint8_t { flash, unfused };

/// Causal self-attention inside each sequence. qkv (R, 3, heads, d) -> output (R, heads d).
/// saved: flash (R/s, heads, s) wide; unfused (R/s, heads, s, s) in the activations' type, before dropout.
/// Dropout acts on the probabilities, seen as a matrix with a row per query and a column per head and key.
struct AttentionForward {
  Tensor qkv, output, saved;
  std::int64_t heads = 0, head_dim = 0, sequence = 0;
  AttentionAlgorithm algorithm = AttentionAlgorithm::flash;
  DropoutMask dropout;
};
/// d_output (R, heads d) -> d_qkv (R, 3, heads, d).
struct AttentionBackward {
  Tensor d_output, qkv, output, saved, d_qkv;
  std::int64_t heads = 0, head_dim = 0, sequence = 0;
  AttentionAlgorithm algorithm = AttentionAlgorithm::flash;
  DropoutMask dropout;
};

/// moments (R, 2) wide = sum and sum of squares of each row of input (R, C).
struct RowMoments {
  Tensor input, moments;
};
/// output = (input - mean) / sqrt(variance + epsilon) * gain + bias. moments over `columns` columns of the full row.
struct LayerNormForward {
  Tensor input, moments, gain, bias, output;
  std::int64_t columns = 0;
  double epsilon = 1e-5;
};
/// row_sums (R, 2) wide = row sums of d_output gain and d_output gain normalised(input);
/// d_gain, d_bias (C) wide += column sums of d_output normalised(input) and d_output.
struct LayerNormBackwardSums {
  Tensor d_output, input, moments, gain, row_sums, d_gain, d_bias;
  std::int64_t columns = 0;
  double epsilon = 1e-5;
};
/// d_input (R, C) from the row sums over all `columns` columns; adds `residual` (R, C) where defined.
struct LayerNormBackward {
  Tensor d_output, input, moments, gain, row_sums, residual, d_input;
  std::int64_t columns = 0;
  double epsilon = 1e-5;
};

/// output (R, C) = input + bias (C); in place when output is input.
struct AddBias {
  Tensor input, bias, output;
};
/// output (R, C) = gelu(input + bias), tanh approximation as in GPT-2.
struct BiasGelu {
  Tensor input, bias, output;
};
/// d_input (R, C) = d_output gelu'(input + bias).
struct BiasGeluBackward {
  Tensor d_output, input, bias, d_input;
};
/// output (R, C) = dropout(input + bias) + residual.
struct BiasResidual {
  Tensor input, bias, residual, output;
  DropoutMask dropout;
};
/// output (R, C) = dropout(input); also its own backward pass.
struct Dropout {
  Tensor input, output;
  DropoutMask mask;
};
/// output (C) wide += column sums of input (R, C): the gradient of a bias.
struct ColumnSum {
  Tensor input, output;
};

/// output (blocks, R, h / blocks): row tokens[r] of table (V, h) where first_row <= tokens[r] < first_row + V,
/// zero elsewhere; columns written as `blocks` blocks, ready to be reduce-scattered by column.
struct EmbeddingForward {
  Tensor tokens, table, output;
  std::int64_t first_row = 0, blocks = 1;
};
/// d_table (V, h) = sum of the rows of d_output (blocks, R, h / blocks) at their tokens.
struct EmbeddingBackward {
  Tensor tokens, d_output, d_table;
  std::int64_t first_row = 0, blocks = 1;
};
/// hidden (R, C) += table[r mod s] for table (>= s, C); rows hold whole sequences of length s.
struct AddPositions {
  Tensor hidden, table;
  std::int64_t sequence = 0;
};
/// d_table (S, C) = sums of d_hidden (R, C) over the sequences; rows from s on are zero.
struct PositionsBackward {
  Tensor d_hidden, d_table;
  std::int64_t sequence = 0;
};

/// output (R, blocks C) from input (blocks, R, C), after a gather of columns.
struct MergeColumns {
  Tensor input, output;
  std::int64_t blocks = 1;
};
/// output (blocks, R, C) from input (R, blocks C), before a reduce-scatter of columns.
struct SplitColumns {
  Tensor input, output;
  std::int64_t blocks = 1;
};

/// output (R) wide = maximum of each row of logits (R, V) wide.
struct RowMax {
  Tensor logits, output;
};
/// output (R, 2) wide = sum of exp(logit - maximum), and logit - maximum of the target if its column is on this rank.
struct SoftmaxSums {
  Tensor logits, maximum, targets, output;
  std::int64_t first_column = 0;
};
/// loss (1) wide += scale * sum over rows of (log of the sum - target logit).
struct CrossEntropyLoss {
  Tensor sums, loss;
  double scale = 1.0;
};
/// d_logits (R, V) = scale * (softmax - one-hot target), in the activations' type.
struct CrossEntropyBackward {
  Tensor logits, maximum, sums, targets, d_logits;
  std::int64_t first_column = 0;
  double scale = 1.0;
};

/// output = value.
struct Fill {
  Tensor output;
  double value = 0.0;
};
/// output = input, converted between types.
struct Cast {
  Tensor input, output;
};
/// output wide += input.
struct Accumulate {
  Tensor input, output;
};
/// output (1) wide += weight * sum of the squares of input.
struct SumOfSquares {
  Tensor input, output;
  double weight = 1.0;
};
/// One AdamW step (Loshchilov & Hutter 2019) on a flat range; `step` counts from 1.
/// The gradient is first scaled by min(1, clip_norm / sqrt(squared_norm)); clip_norm = 0 switches clipping off.
/// parameter is the copy in the training type; it is the master itself when both have one type.
struct AdamW {
  Tensor gradient, squared_norm, master, first_moment, second_moment, parameter;
  double learning_rate = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0, clip_norm = 0;
  std::int64_t step = 1;
};

using Kernel = std::variant<Gemm, AttentionForward, AttentionBackward, RowMoments, LayerNormForward,
                            LayerNormBackwardSums, LayerNormBackward, AddBias, BiasGelu, BiasGeluBackward,
                            BiasResidual, Dropout, ColumnSum, EmbeddingForward, EmbeddingBackward, AddPositions,
                            PositionsBackward, MergeColumns, SplitColumns, RowMax, SoftmaxSums, CrossEntropyLoss,
                            CrossEntropyBackward, Fill, Cast, Accumulate, SumOfSquares, AdamW>;

/// "gemm", "attention_forward", ...
std::string_view name_of(const Kernel& kernel);

/// All tensors of a kernel, inputs and outputs, undefined ones included.
std::vector<Tensor*> operands(Kernel& kernel);

/// Floating-point operations of GEMMs and attention (2 per multiply-add); element-wise work is counted as 0, as
/// published FLOP formulas do. Causal attention is counted in full, 4 R s (heads d) forward (Narayanan et al. 2021).
Flops flops(const Kernel& kernel);

/// Bytes a kernel has to read and write at least once: every operand, once for each access.
Bytes bytes_moved(const Kernel& kernel);

}  // namespace fourfold
