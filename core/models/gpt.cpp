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
    : norm1_(store, grid, name + ".norm1", model.hidden),
      attention_(store, grid, name + ".attention", attention_options(model, train, name)),
      norm2_(store, grid, name + ".norm2", model.hidden),
      mlp_(store, grid, name + ".mlp", {model.hidden, model.ffn, residual_deviation(model), name}) {}

Tensor Block::forward(StepContext& step, const Tensor& input, Keep keep, BlockActivations& kept) const {
  const auto add_residual = [&](const Tensor& branch, const Parameter& bias, const Tensor& residual) {
    launch(step, BiasResidual{branch, bias.value, residual, branch});
    return branch;
  };
  const Tensor middle = add_residual(
      attention_.forward(step, norm1_.forward(step, input, keep, kept.norm1), keep, kept.attention),
      attention_.projection().bias(), input);
  return add_residual(mlp_.forward(step, norm2_.forward(step, middle, keep, kept.norm2), keep, kept.mlp),
                      mlp_.contract().bias(), middle);
}

Tensor Block::backward(StepContext& step, const Tensor& d_output, BlockActivations kept) const {
  const Tensor d_middle = norm2_.backward(step, mlp_.backward(step, d_output, std::exchange(kept.mlp, {})), d_output,
                                          std::exchange(kept.norm2, {}));
  return norm1_.backward(step, attention_.backward(step, d_middle, std::exchange(kept.attention, {})), d_middle,
                         std::exchange(kept.norm1, {}));
}

std::vector<const Parameter*> Block::weights() const {
  return {&attention_.qkv().weight(), &attention_.projection().weight(), &mlp_.expand().weight(),
          &mlp_.contract().weight()};
}

Gpt::Gpt(RankContext& context, const GptConfig& model, const TrainConfig& train)
    : recompute_(train.recompute),
      store_(train.dtype),
      embedding_(store_, context.grid, "embedding",
                 {model.vocabulary, model.hidden, model.sequence, model.tied, "embedding"}),
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
  plan_weights(step.weights);
  const bool recompute = recompute_ == Recompute::full;
  std::vector<BlockActivations> kept(blocks_.size());
  LayerNormActivations kept_norm;
  Tensor hidden;  // (m/z, h/y)
  {
    const Range range(step.device, "forward");
    hidden = embedding_.forward(step, tokens);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Range block_range(step.device, fmt::format("block {}", i));
      kept[i].input = hidden;
      hidden = blocks_[i].forward(step, hidden, recompute ? Keep::nothing : Keep::inputs, kept[i]);
    }
    hidden = final_norm_.forward(step, hidden, Keep::inputs, kept_norm);
  }
  Tensor d_hidden = head_.loss_and_gradient(step, std::exchange(hidden, {}), targets, loss, scale);
  {
    const Range range(step.device, "backward");
    d_hidden = final_norm_.backward(step, d_hidden, {}, std::exchange(kept_norm, {}));
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      const Range block_range(step.device, fmt::format("block {}", i));
      if (recompute) {
        const Range recompute_range(step.device, "recompute");
        blocks_[i].forward(step, kept[i].input, Keep::inputs_and_weights, kept[i]);
      }
      d_hidden = blocks_[i].backward(step, d_hidden, std::exchange(kept[i], {}));
    }
    embedding_.backward(step, tokens, d_hidden);
  }
}

void Gpt::plan_weights(WeightGatherer& weights) const {
  weights.plan(&embedding_.tokens());
  weights.plan(&embedding_.positions());
  for (const Block& block : blocks_) {
    for (const Parameter* weight : block.weights()) weights.plan(weight);
  }
  weights.plan(&head_.table());
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    // The recomputed forward pass takes them in order and keeps them; a plain backward pass takes them in reverse.
    std::vector<const Parameter*> order = blocks_[i].weights();
    if (recompute_ == Recompute::none) std::reverse(order.begin(), order.end());
    for (const Parameter* weight : order) weights.plan(weight);
  }
}

}  // namespace fourfold
