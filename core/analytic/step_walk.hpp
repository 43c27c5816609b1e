#pragma once
// The schedule of a training step, walked in numbers: the same kernels, collectives, joins and
// lifetimes of tensors in the same order as core/models, core/layers and core/schedule issue them.
// (Tests hold the walk against recorded programs.) Blocks and micro-batches that repeat are walked
// once: the first two and the last three blocks of a pass, the first two micro-batches and the last.

#include <deque>
#include <vector>

#include "core/analytic/parameter_costs.hpp"
#include "core/analytic/rank_walk.hpp"

namespace fourfold {

/// Times of the collectives on activations, which do not depend on how parameters are sharded.
struct ActivationCollectives {
  CollectiveTime norm_sums;                                  ///< all-reduce of (R, 2) over y
  CollectiveTime residual_x;                                 ///< all-reduce of (R, h/y) over x
  CollectiveTime qkv, projection, expand, contract;          ///< forward all-reduces
  CollectiveTime d_qkv, d_projection, d_expand, d_contract;  ///< backward all-reduces
  CollectiveTime gather_rows, scatter_rows;                  ///< (R, h) over y
  CollectiveTime row_maximum, softmax_sums;                  ///< over x and y
  CollectiveTime loss;                                       ///< a scalar over z and data
  CollectiveTime squared_norm;                               ///< a scalar over x, y and z
};

ActivationCollectives activation_collectives(const StepCosts& costs, const TrainConfig& train,
                                             const FittedCollectives& collectives);

class StepWalk {
 public:
  /// Keeps references to all of them. `pace`: of the kernels, against their costs.
  StepWalk(const GptConfig& model, const TrainConfig& train, const StepCosts& costs,
           const ParameterCosts& parameters, const ActivationCollectives& collectives,
           const KernelPace& pace);

  /// Walks the whole step. Called once.
  void walk();

  const RankWalk& rank() const { return rank_; }

 private:
  /// A linear layer with its weight and the all-reduces of its output and its input's gradient.
  struct LinearLayer {
    const LinearCosts& costs;
    const WeightCosts& weight;
    const CollectiveTime &forward_reduce, &backward_reduce;
  };
  /// What a block keeps for its backward pass, in the order in which that lets go of it.
  struct Kept {
    HeldMemory input;
    HeldMemory contract_input, contract_weight, expanded, expand_input, expand_weight;
    HeldMemory middle, norm2_moments;
    HeldMemory attention_output, projection_weight, qkv, saved, qkv_input, qkv_weight;
    HeldMemory norm1_moments;
  };
  /// Whether a block's forward pass keeps activations, and the gathered weights with them.
  enum class Keep { nothing, inputs, inputs_and_weights };
  struct Scatter {
    WalkedCollective collective;
    const WeightCosts* weight = nullptr;
    CollectiveTime reduction;  ///< of the bucket that it completes
  };

  void clear_gradients();
  void micro_batches();
  void micro_batch();
  void reduce_gradients();
  void optimizer();

  HeldMemory embedding_forward();
  void embedding_backward();
  /// From the embedding's output to the final norm's output.
  HeldMemory forward(HeldMemory hidden);
  HeldMemory backward(HeldMemory d_hidden);
  HeldMemory head();
  HeldMemory head_logits_gradient();

  /// `input` is kept in `kept` already.
  HeldMemory block_forward(Keep keep, const WeightCosts* next, Kept& kept);
  HeldMemory block_backward(Kept kept, bool is_first);
  HeldMemory mlp_backward(Kept& kept);
  HeldMemory attention_backward(Kept& kept, bool is_first);
  /// The moments are moved to `kept_moments` if it is given.
  HeldMemory norm_forward(HeldMemory* kept_moments);
  HeldMemory norm_backward(const KernelCost& backward, const CollectiveTime& vectors_reduction);
  HeldMemory linear_forward(const LinearLayer& layer, const WeightCosts* next, Keep keep,
                            HeldMemory& kept_weight);
  /// `next`: what is gathered ahead when the weight was not kept.
  HeldMemory linear_backward(const LinearLayer& layer, const WeightCosts* next, HeldMemory weight,
                             const CollectiveTime& weight_reduction,
                             const CollectiveTime& bias_reduction);

  /// The gathered weight; with overlap the gather of `next`, if any, is under way afterwards.
  HeldMemory take_weight(const WeightCosts& weight, const WeightCosts* next);
  WalkedCollective start_gather(const WeightCosts& weight);
  /// `reduction`: of the bucket that this contribution completes, or nothing.
  void scatter(const WeightCosts& weight, HeldMemory d_weight, const CollectiveTime& reduction);
  void retire_oldest();
  void start_reduction(const CollectiveTime& time);
  /// The reduction of a bucket that is started as soon as its gradients are complete.
  CollectiveTime early(const BucketCosts& bucket) const;
  const WeightCosts& head_table() const { return parameters_.tokens; }
  bool recomputes() const { return train_.recompute == Recompute::full; }

  const GptConfig& model_;
  const TrainConfig& train_;
  const StepCosts& costs_;
  const ParameterCosts& parameters_;
  const ActivationCollectives& collectives_;
  LinearLayer qkv_, projection_, expand_, contract_;
  std::int64_t repeated_blocks_;  ///< that are not walked
  RankWalk rank_;
  std::vector<Kept> kept_;  ///< of the walked blocks
  std::deque<Scatter> in_flight_;
  const WeightCosts* prefetched_ = nullptr;
  WalkedCollective prefetch_;
  std::vector<WalkedCollective> reductions_;
  HeldMemory final_input_, final_moments_;
  bool last_micro_batch_ = false;
};

}  // namespace fourfold
