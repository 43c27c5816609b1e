// The part of StepWalk that walks a transformer block: core/models/gpt.cpp's Block and its layers.

#include <utility>

#include "core/analytic/step_walk.hpp"

namespace fourfold {
namespace {

constexpr auto kActivations = MemoryKind::activations;
constexpr auto kWorkspace = MemoryKind::workspace;

}  // namespace

HeldMemory StepWalk::block_forward(Keep keep, const WeightCosts* next, Kept& kept) {
  const bool keeps = keep != Keep::nothing;
  HeldMemory middle;
  {
    HeldMemory normed = norm_forward(keeps ? &kept.norm1_moments : nullptr);
    {
      HeldMemory qkv = linear_forward(qkv_, &parameters_.projection, keep, kept.qkv_weight);
      rank_.compute(costs_.qkv_bias);
      HeldMemory saved = rank_.take(costs_.attention_saved, kActivations);
      HeldMemory output = rank_.take(costs_.projection.input, kActivations);
      rank_.compute(costs_.attention_forward);
      middle = linear_forward(projection_, &parameters_.expand, keep, kept.projection_weight);
      if (keeps) {
        kept.qkv = std::move(qkv);
        kept.saved = std::move(saved);
        kept.attention_output = std::move(output);
      }
    }
    rank_.compute(costs_.bias_residual);
    if (keeps) kept.qkv_input = std::move(normed);
  }
  HeldMemory normed = norm_forward(keeps ? &kept.norm2_moments : nullptr);
  HeldMemory expanded = linear_forward(expand_, &parameters_.contract, keep, kept.expand_weight);
  HeldMemory activated = rank_.take(costs_.expand.output, kActivations);
  rank_.compute(costs_.gelu);
  if (keeps) kept.expanded = std::move(expanded);
  expanded.release();
  HeldMemory output = linear_forward(contract_, next, keep, kept.contract_weight);
  rank_.compute(costs_.bias_residual);
  if (keeps) {
    kept.contract_input = std::move(activated);
    kept.expand_input = std::move(normed);
    kept.middle = std::move(middle);
  }
  return output;
}

HeldMemory StepWalk::block_backward(Kept kept, bool is_first) {
  HeldMemory d_middle;
  {
    const HeldMemory d_normed = mlp_backward(kept);
    d_middle = norm_backward(costs_.norm.backward_residual, {});
    kept.middle.release();
    kept.norm2_moments.release();
  }
  const HeldMemory d_normed = attention_backward(kept, is_first);
  return norm_backward(costs_.norm.backward_residual,
                       is_first ? early(parameters_.vectors_y) : CollectiveTime{});
}

HeldMemory StepWalk::mlp_backward(Kept& kept) {
  const HeldMemory d_expanded =
      linear_backward(contract_, &parameters_.expand, std::move(kept.contract_weight), {}, {});
  kept.contract_input.release();
  rank_.compute(costs_.gelu_backward);
  kept.expanded.release();
  HeldMemory d_input =
      linear_backward(expand_, &parameters_.projection, std::move(kept.expand_weight), {}, {});
  kept.expand_input.release();
  return d_input;
}

HeldMemory StepWalk::attention_backward(Kept& kept, bool is_first) {
  const HeldMemory d_qkv = rank_.take(costs_.qkv.output, kWorkspace);
  {
    const HeldMemory d_attention =
        linear_backward(projection_, &parameters_.qkv, std::move(kept.projection_weight), {}, {});
    rank_.compute(costs_.attention_backward);
    kept.qkv.release();
    kept.attention_output.release();
    kept.saved.release();
  }
  HeldMemory d_input = linear_backward(qkv_, is_first ? nullptr : &parameters_.contract,
                                       std::move(kept.qkv_weight), early(parameters_.block_bucket),
                                       is_first ? early(parameters_.vectors_x) : CollectiveTime{});
  kept.qkv_input.release();
  return d_input;
}

HeldMemory StepWalk::norm_forward(HeldMemory* kept_moments) {
  HeldMemory moments = rank_.take(costs_.row_pairs, kActivations);
  rank_.compute(costs_.norm.moments);
  rank_.run(Stream::comm_y, collectives_.norm_sums);
  HeldMemory output = rank_.take(costs_.residual, kActivations);
  rank_.compute(costs_.norm.forward);
  if (kept_moments != nullptr) *kept_moments = std::move(moments);
  return output;
}

HeldMemory StepWalk::norm_backward(const KernelCost& backward,
                                   const CollectiveTime& vectors_reduction) {
  const HeldMemory row_sums = rank_.take(costs_.row_pairs, kWorkspace);
  rank_.compute(costs_.norm.backward_sums);
  start_reduction(vectors_reduction);
  rank_.run(Stream::comm_y, collectives_.norm_sums);
  HeldMemory d_input = rank_.take(costs_.residual, kWorkspace);
  rank_.compute(backward);
  return d_input;
}

HeldMemory StepWalk::linear_forward(const LinearLayer& layer, const WeightCosts* next, Keep keep,
                                    HeldMemory& kept_weight) {
  HeldMemory weight = take_weight(layer.weight, next);
  HeldMemory output = rank_.take(layer.costs.output, kActivations);
  rank_.compute(layer.costs.forward);
  rank_.run(reduction_stream(layer.costs.input_axis), layer.forward_reduce);
  if (keep == Keep::inputs_and_weights) kept_weight = std::move(weight);
  return output;
}

HeldMemory StepWalk::linear_backward(const LinearLayer& layer, const WeightCosts* next,
                                     HeldMemory weight, const CollectiveTime& weight_reduction,
                                     const CollectiveTime& bias_reduction) {
  if (!recomputes()) weight = take_weight(layer.weight, next);
  const auto parameter_gradients = [&] {
    HeldMemory d_weight = rank_.take(layer.costs.weight, kWorkspace);
    rank_.compute(layer.costs.weight_gradient);
    scatter(layer.weight, std::move(d_weight), weight_reduction);
    rank_.compute(layer.costs.bias_gradient);
    start_reduction(bias_reduction);
  };
  const bool weight_first = train_.grid.size(layer.costs.output_axis) == 1;
  if (weight_first) parameter_gradients();
  HeldMemory input_gradient = rank_.take(layer.costs.input, kWorkspace);
  rank_.compute(layer.costs.input_gradient);
  WalkedCollective reduction =
      rank_.start(reduction_stream(layer.costs.output_axis), layer.backward_reduce);
  if (!train_.overlap.all_reduce) rank_.join(reduction);
  if (!weight_first) parameter_gradients();
  rank_.join(reduction);
  return input_gradient;
}

}  // namespace fourfold
