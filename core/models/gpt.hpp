#pragma once
// GPT (Radford et al. 2019), pre-LayerNorm. The residual stream lies (m/z, h/y) on every rank; no communication is
// spelled here, the layers know theirs.
//
//   h = embedding(tokens)
//   per block:  h += attention(norm_1(h));   h += mlp(norm_2(h))
//   loss = cross_entropy(head(final_norm(h)), targets)

#include <vector>

#include "core/layers/attention.hpp"
#include "core/layers/embedding.hpp"
#include "core/layers/head.hpp"
#include "core/layers/layer_norm.hpp"
#include "core/layers/mlp.hpp"
#include "core/schedule/train_config.hpp"

namespace fourfold {

struct BlockActivations {
  Tensor input;  ///< (m/z, h/y): all that is kept when the block is recomputed
  LayerNormActivations norm1, norm2;
  AttentionActivations attention;
  MlpActivations mlp;
};

/// A transformer block.
class Block {
 public:
  Block(ParameterStore& store, const Grid& grid, const std::string& name, const GptConfig& model,
        const TrainConfig& train);

  /// input (m/z, h/y) -> output (m/z, h/y).
  Tensor forward(StepContext& step, const Tensor& input, Keep keep, BlockActivations& kept) const;
  /// d_output -> d_input.
  Tensor backward(StepContext& step, const Tensor& d_output, BlockActivations kept) const;

  /// The weights in the order in which a forward pass takes them.
  std::vector<const Parameter*> weights() const;

 private:
  /// output = dropout(branch + bias) + residual, in place of the branch.
  Tensor add_residual(StepContext& step, const Tensor& branch, const Linear& last, const Tensor& residual) const;
  /// The gradient of the branch from that of the sum.
  Tensor branch_gradient(StepContext& step, const Tensor& d_sum, const Linear& last) const;
  /// Of the branch that ends in `last`.
  DropoutMask dropout_mask(const StepContext& step, const Linear& last) const;

  std::int64_t hidden_;
  LayerNorm norm1_;
  SelfAttention attention_;
  LayerNorm norm2_;
  Mlp mlp_;
};

class Gpt {
 public:
  /// Declares all parameters on this rank and allocates them. Throws ShapeError if grid and model do not fit.
  Gpt(RankContext& context, const GptConfig& model, const TrainConfig& train);

  /// Forward and backward of one micro-batch: tokens, targets (m/z) int32. loss (1) += scale * sum of the rows' losses.
  void forward_backward(StepContext& step, const Tensor& tokens, const Tensor& targets, const Tensor& loss,
                        double scale) const;

  /// The loss alone, for evaluation: adds to `loss` as above.
  void forward_loss(StepContext& step, const Tensor& tokens, const Tensor& targets, const Tensor& loss,
                    double scale) const;
  /// Logits of all rows, for generation, in blocks (x y, m/z, V/xy) of the vocabulary, on every rank.
  Tensor logits(StepContext& step, const Tensor& tokens) const;

  ParameterStore& parameters() { return store_; }
  const ParameterStore& parameters() const { return store_; }

 private:
  struct Activations {
    std::vector<BlockActivations> blocks;
    LayerNormActivations final_norm;
  };

  /// tokens (m/z) -> final norm's output (m/z, h/y).
  Tensor forward(StepContext& step, const Tensor& tokens, Keep keep, Activations& kept) const;
  void backward(StepContext& step, const Tensor& tokens, Tensor d_hidden, Activations kept) const;

  /// Tells the gatherer in which order one forward pass and the head take the weights; then one backward pass.
  void plan_forward(WeightGatherer& weights) const;
  void plan_backward(WeightGatherer& weights) const;

  Recompute recompute_;
  ParameterStore store_;
  Embedding embedding_;
  std::vector<Block> blocks_;
  LayerNorm final_norm_;
  Head head_;
};

}  // namespace fourfold
