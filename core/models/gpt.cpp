#include "core/models/gpt.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace fourfold {
namespace {

/// GPT-2 scales the initial weights that write to the residual stream by 1 / sqrt(2 layers).
double residual_deviation(const GptConfig& model) { return 0.02 / std::sqrt(2.0 * static_cast<double>(model.layers)); }

SelfAttention::Options attention_options(const GptConfig& model, const TrainConfig& train, const std::string& bucket) {
  return {model.hidden, model.heads, train.sequence, train.attention, residual_deviation(model), bucket};
}

}  // namespace

Block::Block(ParameterStore& store, const Grid& grid, const std::string& name, const GptConfig& model,
             const TrainConfig& train)
    : hidden_(model.hidden),
      norm1_(store, grid, name + ".norm1", model.hidden),
      attention_(store, grid, name + ".attention", attention_options(model, train, name)),
      norm2_(store, grid, name + ".norm2", model.hidden),
      mlp_(store, grid, name + ".mlp", {model.hidden, model.ffn, residual_deviation(model), name}) {}

Tensor Block::forward(StepContext& step, const Tensor& input, Keep keep, BlockActivations& kept) const {
  const Tensor middle = add_residual(
      step, attention_.forward(step, norm1_.forward(step, input, keep, kept.norm1), keep, kept.attention),
      attention_.projection(), input);
  return add_residual(step, mlp_.forward(step, norm2_.forward(step, middle, keep, kept.norm2), keep, kept.mlp),
                      mlp_.contract(), middle);
}

Tensor Block::backward(StepContext& step, const Tensor& d_output, BlockActivations kept) const {
  const Tensor d_mlp = branch_gradient(step, d_output, mlp_.contract());
  const Tensor d_middle = norm2_.backward(step, mlp_.backward(step, d_mlp, std::exchange(kept.mlp, {})), d_output,
                                          std::exchange(kept.norm2, {}));
  const Tensor d_attention = branch_gradient(step, d_middle, attention_.projection());
  return norm1_.backward(step, attention_.backward(step, d_attention, std::exchange(kept.attention, {})), d_middle,
                         std::exchange(kept.norm1, {}));
}

Tensor Block::add_residual(StepContext& step, const Tensor& branch, const Linear& last, const Tensor& residual) const {
  launch(step, BiasResidual{branch, last.bias().value, residual, branch, dropout_mask(step, last)});
  return branch;
}

Tensor Block::branch_gradient(StepContext& step, const Tensor& d_sum, const Linear& last) const {
  const DropoutMask mask = dropout_mask(step, last);
  if (mask.probability == 0.0) return d_sum;
  const Tensor d_branch = step.device.allocate(d_sum.shape, d_sum.dtype, MemoryKind::workspace);
  launch(step, Dropout{d_sum, d_branch, mask});
  return d_branch;
}

DropoutMask Block::dropout_mask(const StepContext& step, const Linear& last) const {
  const std::int64_t columns = hidden_ / step.size(Axis::y);
  return step.dropout.mask(last.bias().spec.name, step.index(Axis::y) * columns, hidden_);
}

std::vector<const Parameter*> Block::weights() const {
  return {&attention_.qkv().weight(), &attention_.projection().weight(), &mlp_.expand().weight(),
          &mlp_.contract().weight()};
}

Gpt::Gpt(RankContext& context, const GptConfig& model, const TrainConfig& train)
    : recompute_(train.recompute),
      store_(train.dtype),
      embedding_(store_, context.grid, "embedding",
                 {model.vocabulary, model.hidden, model.sequence, train.sequence, model.tied, "embedding"}),
      blocks_([&] {
        std::vector<Block> blocks;
        for (std::int64_t i = 0; i < model.layers; ++i) {
          blocks.emplace_back(store_, context.grid, fmt::format("blocks.{}", i), model, train);
        }
        return blocks;
      }()),
      final_norm_(store_, context.grid, "final_norm", model.hidden),
      head_(model.tied ? embedding_.tokens()
                       : Head::add_table(store_, context.grid, "head", model.vocabulary, model.hidden, "head")) {
  store_.allocate(context);
}

void Gpt::forward_backward(StepContext& step, const Tensor& tokens, const Tensor& targets, const Tensor& loss,
                           double scale) const {
  plan_forward(step.weights);
  plan_backward(step.weights);
  Activations kept;
  Tensor d_hidden;
  {
    const Tensor hidden =
        forward(step, tokens, recompute_ == Recompute::full ? Keep::nothing : Keep::inputs, kept);  // (m/z, h/y)
    d_hidden = head_.loss_and_gradient(step, hidden, targets, loss, scale);
  }
  backward(step, tokens, std::move(d_hidden), std::move(kept));
}

void Gpt::forward_loss(StepContext& step, const Tensor& tokens, const Tensor& targets, const Tensor& loss,
                       double scale) const {
  plan_forward(step.weights);
  Activations kept;
  head_.loss(step, forward(step, tokens, Keep::nothing, kept), targets, loss, scale);
}

Tensor Gpt::logits(StepContext& step, const Tensor& tokens) const {
  plan_forward(step.weights);
  Activations kept;
  return head_.gathered_logits(step, forward(step, tokens, Keep::nothing, kept));
}

Tensor Gpt::forward(StepContext& step, const Tensor& tokens, Keep keep, Activations& kept) const {
  const Range range(step.device, "forward");
  kept.blocks.resize(blocks_.size());
  Tensor hidden = embedding_.forward(step, tokens);  // (m/z, h/y)
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Range block_range(step.device, fmt::format("block {}", i));
    if (recompute_ == Recompute::full) kept.blocks[i].input = hidden;
    hidden = blocks_[i].forward(step, hidden, keep, kept.blocks[i]);
  }
  return final_norm_.forward(step, hidden, Keep::inputs, kept.final_norm);
}

void Gpt::backward(StepContext& step, const Tensor& tokens, Tensor d_hidden, Activations kept) const {
  const Range range(step.device, "backward");
  d_hidden = final_norm_.backward(step, d_hidden, {}, std::exchange(kept.final_norm, {}));
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    const Range block_range(step.device, fmt::format("block {}", i));
    BlockActivations activations = std::exchange(kept.blocks[i], {});
    if (recompute_ == Recompute::full) {
      const Range recompute_range(step.device, "recompute");
      const Tensor input = std::exchange(activations.input, {});
      blocks_[i].forward(step, input, Keep::inputs_and_weights, activations);
    }
    d_hidden = blocks_[i].backward(step, d_hidden, std::move(activations));
  }
  embedding_.backward(step, tokens, d_hidden);
}

void Gpt::plan_forward(WeightGatherer& weights) const {
  weights.plan(&embedding_.tokens());
  weights.plan(&embedding_.positions());
  for (const Block& block : blocks_) {
    for (const Parameter* weight : block.weights()) weights.plan(weight);
  }
  weights.plan(&head_.table());
}

void Gpt::plan_backward(WeightGatherer& weights) const {
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    // The recomputed forward pass takes them in order and keeps them; a plain backward pass takes them in reverse.
    std::vector<const Parameter*> order = blocks_[i].weights();
    if (recompute_ == Recompute::none) std::reverse(order.begin(), order.end());
    for (const Parameter* weight : order) weights.plan(weight);
  }
}

}  // namespace fourfold
