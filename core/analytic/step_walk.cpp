#include "core/analytic/step_walk.hpp"

#include <algorithm>
#include <utility>

namespace fourfold {
namespace {

/// Walked of the passes over the blocks, and of the micro-batches; the others are repetitions.
constexpr std::int64_t kFirstBlocks = 2, kLastBlocks = 3, kFirstMicroBatches = 2;

constexpr auto kActivations = MemoryKind::activations;
constexpr auto kWorkspace = MemoryKind::workspace;

KernelCost times(const KernelCost& cost, std::int64_t count) {
  return {cost.time * static_cast<double>(count), cost.flops * static_cast<double>(count)};
}

}  // namespace

ActivationCollectives activation_collectives(const StepCosts& costs, const TrainConfig& train,
                                             const FittedCollectives& collectives) {
  const auto reduce = [&](Bytes bytes, AxisSet axes) {
    return collectives.time(CollectiveKind::all_reduce, bytes, axes);
  };
  const auto forward = [&](const LinearCosts& layer) {
    return reduce(layer.output, layer.input_axis);
  };
  const auto backward = [&](const LinearCosts& layer) {
    return reduce(layer.input, layer.output_axis);
  };
  const Bytes scalar = size_of(wide(train.dtype));
  ActivationCollectives times;
  times.norm_sums = reduce(costs.row_pairs, Axis::y);
  times.residual_x = reduce(costs.residual, Axis::x);
  times.qkv = forward(costs.qkv);
  times.projection = forward(costs.projection);
  times.expand = forward(costs.expand);
  times.contract = forward(costs.contract);
  times.d_qkv = backward(costs.qkv);
  times.d_projection = backward(costs.projection);
  times.d_expand = backward(costs.expand);
  times.d_contract = backward(costs.contract);
  times.gather_rows = collectives.time(CollectiveKind::all_gather, costs.whole_rows, Axis::y);
  times.scatter_rows = collectives.time(CollectiveKind::reduce_scatter, costs.whole_rows, Axis::y);
  times.row_maximum = reduce(costs.head.row_maximum, Axis::x | Axis::y);
  times.softmax_sums = reduce(costs.row_pairs, Axis::x | Axis::y);
  times.loss = reduce(scalar, kBatchAxes);
  times.squared_norm = reduce(scalar, kTensorAxes);
  return times;
}

StepWalk::StepWalk(const GptConfig& model, const TrainConfig& train, const StepCosts& costs,
                   const ParameterCosts& parameters, const ActivationCollectives& collectives,
                   const KernelPace& pace)
    : model_(model),
      train_(train),
      costs_(costs),
      parameters_(parameters),
      collectives_(collectives),
      qkv_{costs.qkv, parameters.qkv, collectives.qkv, collectives.d_qkv},
      projection_{costs.projection, parameters.projection, collectives.projection,
                  collectives.d_projection},
      expand_{costs.expand, parameters.expand, collectives.expand, collectives.d_expand},
      contract_{costs.contract, parameters.contract, collectives.contract, collectives.d_contract},
      repeated_blocks_(std::max<std::int64_t>(0, model.layers - kFirstBlocks - kLastBlocks)),
      rank_(parameters.resident, pace) {}

void StepWalk::walk() {
  clear_gradients();
  const HeldMemory loss = rank_.take(size_of(wide(train_.dtype)), kWorkspace);
  rank_.compute(costs_.clear_scalar);
  micro_batches();
  reduce_gradients();
  rank_.run(Stream::comm_z_scatter, collectives_.loss);
  optimizer();
}

void StepWalk::clear_gradients() {
  for (const BucketCosts* bucket : parameters_.single_buckets()) rank_.compute(bucket->clear);
  rank_.compute(times(parameters_.block_bucket.clear, model_.layers));
}

void StepWalk::micro_batches() {
  const std::int64_t count = train_.micro_batches();
  const std::int64_t first = std::min(count - 1, kFirstMicroBatches);
  RankWalk::Mark before;
  for (std::int64_t i = 0; i < first; ++i) {
    before = rank_.mark();
    micro_batch();
  }
  if (count - 1 > first) rank_.repeat(before, rank_.mark(), count - 1 - first);
  last_micro_batch_ = true;
  micro_batch();
}

void StepWalk::micro_batch() {
  const HeldMemory tokens = rank_.take(costs_.token_ids, kActivations);
  const HeldMemory targets = rank_.take(costs_.token_ids, kActivations);
  HeldMemory d_hidden;
  {
    const HeldMemory hidden = forward(embedding_forward());
    d_hidden = head();
  }
  d_hidden = backward(std::move(d_hidden));
  embedding_backward();
}

void StepWalk::reduce_gradients() {
  while (!in_flight_.empty()) retire_oldest();
  if (!train_.overlap.data) {
    for (const BucketCosts* bucket : parameters_.single_buckets()) start_reduction(bucket->reduce);
    for (std::int64_t i = 0; i < model_.layers; ++i)
      start_reduction(parameters_.block_bucket.reduce);
  }
  for (WalkedCollective& reduction : reductions_) rank_.join(reduction);
}

void StepWalk::optimizer() {
  const HeldMemory squared_norm = rank_.take(size_of(wide(train_.dtype)), kWorkspace);
  rank_.compute(costs_.clear_scalar);
  const auto buckets = parameters_.single_buckets();
  for (const BucketCosts* bucket : buckets) rank_.compute(bucket->squares);
  rank_.compute(times(parameters_.block_bucket.squares, model_.layers));
  rank_.run(Stream::comm_x, collectives_.squared_norm);
  for (const BucketCosts* bucket : buckets) rank_.compute(bucket->update);
  rank_.compute(times(parameters_.block_bucket.update, model_.layers));
}

HeldMemory StepWalk::embedding_forward() {
  HeldMemory hidden;
  {
    const HeldMemory table = take_weight(parameters_.tokens, &parameters_.positions);
    HeldMemory found = rank_.take(costs_.whole_rows, kActivations);
    rank_.compute(costs_.embedding.forward);
    if (train_.grid.size(Axis::y) == 1) {
      hidden = std::move(found);
    } else {
      hidden = rank_.take(costs_.residual, kActivations);
      rank_.run(Stream::comm_y, collectives_.scatter_rows);
    }
  }
  rank_.run(Stream::comm_x, collectives_.residual_x);
  const HeldMemory positions = take_weight(parameters_.positions, &parameters_.qkv);
  rank_.compute(costs_.embedding.add_positions);
  return hidden;
}

void StepWalk::embedding_backward() {
  HeldMemory d_positions = rank_.take(costs_.embedding.positions, kWorkspace);
  rank_.compute(costs_.embedding.positions_backward);
  scatter(parameters_.positions, std::move(d_positions), early(parameters_.positions_bucket));

  HeldMemory d_rows;
  if (train_.grid.size(Axis::y) > 1) {
    d_rows = rank_.take(costs_.whole_rows, kWorkspace);
    rank_.run(Stream::comm_y, collectives_.gather_rows);
  }
  HeldMemory d_table = rank_.take(costs_.embedding.tokens, kWorkspace);
  rank_.compute(costs_.embedding.backward);
  scatter(parameters_.tokens, std::move(d_table), early(parameters_.tokens_bucket));
}

HeldMemory StepWalk::forward(HeldMemory hidden) {
  RankWalk::Mark before;
  for (std::int64_t i = 0; i < model_.layers; ++i) {
    if (i == kFirstBlocks && repeated_blocks_ > 0) {
      rank_.repeat(before, rank_.mark(), repeated_blocks_);
      i += repeated_blocks_;
    }
    before = rank_.mark();
    kept_.emplace_back().input = std::move(hidden);
    const bool is_last = i == model_.layers - 1;
    hidden = block_forward(recomputes() ? Keep::nothing : Keep::inputs,
                           is_last ? &head_table() : &parameters_.qkv, kept_.back());
  }
  final_input_ = std::move(hidden);
  return norm_forward(&final_moments_);
}

HeldMemory StepWalk::backward(HeldMemory d_hidden) {
  d_hidden = norm_backward(costs_.norm.backward, {});
  final_input_.release();
  final_moments_.release();
  RankWalk::Mark before;
  for (std::int64_t i = model_.layers - 1; i >= 0; --i) {
    if (i == model_.layers - 1 - kLastBlocks && repeated_blocks_ > 0) {
      rank_.repeat(before, rank_.mark(), repeated_blocks_);
      i -= repeated_blocks_;
    }
    before = rank_.mark();
    Kept kept = std::move(kept_.back());
    kept_.pop_back();
    if (recomputes()) {
      block_forward(Keep::inputs_and_weights, i == 0 ? nullptr : &parameters_.qkv, kept);
    }
    d_hidden = block_backward(std::move(kept), i == 0);
  }
  return d_hidden;
}

HeldMemory StepWalk::head() {
  const bool splits_columns = train_.grid.size(Axis::y) > 1;
  HeldMemory rows;
  if (splits_columns) {
    const HeldMemory blocks = rank_.take(costs_.whole_rows, kWorkspace);
    rank_.run(Stream::comm_y, collectives_.gather_rows);
    rows = rank_.take(costs_.whole_rows, kActivations);
    rank_.compute(costs_.head.merge_columns);
  }
  const HeldMemory table =
      take_weight(head_table(), recomputes() ? &parameters_.qkv : &parameters_.contract);
  const HeldMemory d_logits = head_logits_gradient();
  HeldMemory d_table = rank_.take(costs_.embedding.tokens, kWorkspace);
  rank_.compute(costs_.head.table_gradient);
  scatter(head_table(), std::move(d_table), early(parameters_.head_bucket));
  HeldMemory d_input = rank_.take(costs_.whole_rows, kWorkspace);
  rank_.compute(costs_.head.input_gradient);
  if (splits_columns) {
    const HeldMemory blocks = rank_.take(costs_.whole_rows, kWorkspace);
    rank_.compute(costs_.head.split_columns);
    HeldMemory columns = rank_.take(costs_.residual, kWorkspace);
    rank_.run(Stream::comm_y, collectives_.scatter_rows);
    d_input = std::move(columns);
  }
  rank_.run(Stream::comm_x, collectives_.residual_x);
  return d_input;
}

HeldMemory StepWalk::head_logits_gradient() {
  const HeldMemory logits = rank_.take(costs_.head.logits_bytes, kActivations);
  rank_.compute(costs_.head.logits);
  const HeldMemory maximum = rank_.take(costs_.head.row_maximum, kWorkspace);
  rank_.compute(costs_.head.row_max);
  rank_.run(Stream::comm_x, collectives_.row_maximum);
  const HeldMemory sums = rank_.take(costs_.row_pairs, kWorkspace);
  rank_.compute(costs_.head.softmax_sums);
  rank_.run(Stream::comm_x, collectives_.softmax_sums);
  rank_.compute(costs_.head.loss);
  HeldMemory d_logits = rank_.take(costs_.head.logits_gradient, kWorkspace);
  rank_.compute(costs_.head.softmax_backward);
  return d_logits;
}

HeldMemory StepWalk::take_weight(const WeightCosts& weight, const WeightCosts* next) {
  WalkedCollective gather = std::exchange(prefetched_, nullptr) == &weight
                                ? std::exchange(prefetch_, {})
                                : start_gather(weight);
  HeldMemory block = rank_.join(gather);
  if (train_.overlap.all_gather && next != nullptr) {
    prefetched_ = next;
    prefetch_ = start_gather(*next);
  }
  return block;
}

WalkedCollective StepWalk::start_gather(const WeightCosts& weight) {
  if (train_.grid.size(Axis::z) == 1) return {};
  HeldMemory block = rank_.take(weight.block, MemoryKind::gathered_weights);
  WalkedCollective gather = rank_.start(Stream::comm_z_gather, weight.gather);
  gather.output = std::move(block);
  return gather;
}

void StepWalk::scatter(const WeightCosts& weight, HeldMemory d_weight,
                       const CollectiveTime& reduction) {
  const bool sharded = train_.grid.size(Axis::z) > 1;
  HeldMemory shard = sharded ? rank_.take(weight.shard, kWorkspace) : HeldMemory();
  Scatter& started = in_flight_.emplace_back();
  started.collective = rank_.start(Stream::comm_z_scatter, weight.scatter);
  started.collective.input = std::move(d_weight);
  started.collective.output = std::move(shard);
  started.weight = &weight;
  started.reduction = reduction;
  const std::size_t keep =
      train_.overlap.reduce_scatter && sharded ? GradientScatterer::kMaxInFlight : 0;
  while (in_flight_.size() > keep) retire_oldest();
}

void StepWalk::retire_oldest() {
  Scatter scatter = std::move(in_flight_.front());
  in_flight_.pop_front();
  const HeldMemory shard = rank_.join(scatter.collective);
  rank_.compute(scatter.weight->accumulate);
  start_reduction(scatter.reduction);
}

void StepWalk::start_reduction(const CollectiveTime& time) {
  if (time.total > 0) reductions_.push_back(rank_.start(Stream::comm_data, time));
}

CollectiveTime StepWalk::early(const BucketCosts& bucket) const {
  return last_micro_batch_ && train_.overlap.data ? bucket.reduce : CollectiveTime{};
}

}  // namespace fourfold
