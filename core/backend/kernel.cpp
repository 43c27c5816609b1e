#include "core/backend/kernel.hpp"

#include <type_traits>

namespace fourfold {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

/// Operands of one kernel, in the order of its declaration.
constexpr Overloaded kOperands{
    [](Gemm& k) -> std::vector<Tensor*> { return {&k.a, &k.b, &k.c}; },
    [](AttentionForward& k) -> std::vector<Tensor*> { return {&k.qkv, &k.output, &k.saved}; },
    [](AttentionBackward& k) -> std::vector<Tensor*> { return {&k.d_output, &k.qkv, &k.output, &k.saved, &k.d_qkv}; },
    [](RowMoments& k) -> std::vector<Tensor*> { return {&k.input, &k.moments}; },
    [](LayerNormForward& k) -> std::vector<Tensor*> { return {&k.input, &k.moments, &k.gain, &k.bias, &k.output}; },
    [](LayerNormBackwardSums& k) -> std::vector<Tensor*> {
      return {&k.d_output, &k.input, &k.moments, &k.gain, &k.row_sums, &k.d_gain, &k.d_bias};
    },
    [](LayerNormBackward& k) -> std::vector<Tensor*> {
      return {&k.d_output, &k.input, &k.moments, &k.gain, &k.row_sums, &k.residual, &k.d_input};
    },
    [](AddBias& k) -> std::vector<Tensor*> { return {&k.input, &k.bias, &k.output}; },
    [](BiasGelu& k) -> std::vector<Tensor*> { return {&k.input, &k.bias, &k.output}; },
    [](BiasGeluBackward& k) -> std::vector<Tensor*> { return {&k.d_output, &k.input, &k.bias, &k.d_input}; },
    [](BiasResidual& k) -> std::vector<Tensor*> { return {&k.input, &k.bias, &k.residual, &k.output}; },
    [](Dropout& k) -> std::vector<Tensor*> { return {&k.input, &k.output}; },
    [](ColumnSum& k) -> std::vector<Tensor*> { return {&k.input, &k.output}; },
    [](EmbeddingForward& k) -> std::vector<Tensor*> { return {&k.tokens, &k.table, &k.output}; },
    [](EmbeddingBackward& k) -> std::vector<Tensor*> { return {&k.tokens, &k.d_output, &k.d_table}; },
    [](AddPositions& k) -> std::vector<Tensor*> { return {&k.hidden, &k.table}; },
    [](PositionsBackward& k) -> std::vector<Tensor*> { return {&k.d_hidden, &k.d_table}; },
    [](MergeColumns& k) -> std::vector<Tensor*> { return {&k.input, &k.output}; },
    [](SplitColumns& k) -> std::vector<Tensor*> { return {&k.input, &k.output}; },
    [](RowMax& k) -> std::vector<Tensor*> { return {&k.logits, &k.output}; },
    [](SoftmaxSums& k) -> std::vector<Tensor*> { return {&k.logits, &k.maximum, &k.targets, &k.output}; },
    [](CrossEntropyLoss& k) -> std::vector<Tensor*> { return {&k.sums, &k.loss}; },
    [](CrossEntropyBackward& k) -> std::vector<Tensor*> {
      return {&k.logits, &k.maximum, &k.sums, &k.targets, &k.d_logits};
    },
    [](Fill& k) -> std::vector<Tensor*> { return {&k.output}; },
    [](Cast& k) -> std::vector<Tensor*> { return {&k.input, &k.output}; },
    [](Accumulate& k) -> std::vector<Tensor*> { return {&k.input, &k.output}; },
    [](SumOfSquares& k) -> std::vector<Tensor*> { return {&k.input, &k.output}; },
    [](AdamW& k) -> std::vector<Tensor*> {
      return {&k.gradient, &k.squared_norm, &k.master, &k.first_moment, &k.second_moment, &k.parameter};
    },
};

Bytes total(std::initializer_list<const Tensor*> tensors) {
  Bytes bytes = 0;
  for (const Tensor* tensor : tensors) {
    if (tensor->defined()) bytes += tensor->bytes();
  }
  return bytes;
}

/// Multiply-adds of causal attention counted in full: two products of R x s x (heads d) forward.
Flops attention_flops(const Tensor& output, std::int64_t sequence, int products) {
  return 2.0 * products * static_cast<Flops>(output.elements()) * static_cast<Flops>(sequence);
}

}  // namespace

std::string_view name_of(const Kernel& kernel) {
  constexpr std::string_view kNames[] = {
      "gemm",           "attention_forward",   "attention_backward",       "row_moments",
      "layer_norm_forward", "layer_norm_backward_sums", "layer_norm_backward", "add_bias",
      "bias_gelu",      "bias_gelu_backward",  "bias_residual", "dropout", "column_sum",
      "embedding_forward", "embedding_backward", "add_positions",          "positions_backward",
      "merge_columns",  "split_columns",       "row_max",                  "softmax_sums",
      "cross_entropy_loss", "cross_entropy_backward", "fill",              "cast",
      "accumulate",     "sum_of_squares",      "adamw"};
  static_assert(std::size(kNames) == std::variant_size_v<Kernel>);
  return kNames[kernel.index()];
}

std::vector<Tensor*> operands(Kernel& kernel) { return std::visit(kOperands, kernel); }

Flops flops(const Kernel& kernel) {
  if (const auto* gemm = std::get_if<Gemm>(&kernel)) {
    const std::int64_t k = gemm->a.shape[gemm->transpose_a ? 0 : 1];
    return 2.0 * static_cast<Flops>(gemm->c.elements()) * static_cast<Flops>(k);
  }
  if (const auto* attention = std::get_if<AttentionForward>(&kernel)) {
    return attention_flops(attention->output, attention->sequence, 2);
  }
  if (const auto* attention = std::get_if<AttentionBackward>(&kernel)) {
    // Four products; flash attention computes a fifth, the scores, again.
    const bool flash = attention->algorithm == AttentionAlgorithm::flash;
    return attention_flops(attention->output, attention->sequence, flash ? 5 : 4);
  }
  return 0.0;
}

Bytes bytes_moved(const Kernel& kernel) {
  return std::visit(
      Overloaded{
          [](const AddPositions& k) { return 2 * k.hidden.bytes() + k.table.bytes(); },
          [](const Accumulate& k) { return k.input.bytes() + 2 * k.output.bytes(); },
          [](const Gemm& k) { return total({&k.a, &k.b, &k.c}) + (k.accumulate ? k.c.bytes() : 0); },
          [](const EmbeddingForward& k) { return k.tokens.bytes() + 2 * k.output.bytes(); },
          [](const AdamW& k) {
            // Reads gradient, master and moments; writes master and moments, and the copy where there is one.
            const bool copy = k.parameter.storage != k.master.storage;
            return k.gradient.bytes() + 2 * total({&k.master, &k.first_moment, &k.second_moment}) +
                   (copy ? k.parameter.bytes() : 0);
          },
          [](const auto& k) {
            auto copy = k;  // kOperands wants to be able to change it
            Bytes bytes = 0;
            for (const Tensor* tensor : kOperands(copy)) {
              if (tensor->defined()) bytes += tensor->bytes();
            }
            return bytes;
          }},
      kernel);
}

}  // namespace fourfold
