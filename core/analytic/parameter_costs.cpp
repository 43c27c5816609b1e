#include "core/analytic/parameter_costs.hpp"

namespace fourfold {
namespace {

WeightCosts weight_costs(Bytes block, const TrainConfig& train, const KernelModel& kernels,
                         const FittedCollectives& collectives) {
  WeightCosts costs;
  costs.block = block;
  costs.shard = block / train.grid.size(Axis::z);
  costs.gather = collectives.time(CollectiveKind::all_gather, block, Axis::z);
  costs.scatter = collectives.time(CollectiveKind::reduce_scatter, block, Axis::z);
  const Shape shard = {costs.shard / size_of(train.dtype)};
  costs.accumulate =
      cost_of(Accumulate{sized_tensor(shard, train.dtype), sized_tensor(shard, wide(train.dtype))},
              kernels);
  return costs;
}

BucketCosts bucket_costs(std::int64_t elements, AxisSet reduced_over, const TrainConfig& train,
                         const KernelModel& kernels, const FittedCollectives& collectives) {
  const DType wide_type = wide(train.dtype);
  const Tensor gradients = sized_tensor({elements}, wide_type);
  const Tensor norm = sized_tensor({1}, wide_type);
  Tensor values = sized_tensor({elements}, train.dtype);
  if (train.dtype != wide_type) {
    // Another storage than the master's marks a copy that the update writes as well.
    static const auto kCopy = std::make_shared<Storage>(1, 0, MemoryKind::parameters);
    values.storage = kCopy;
  }
  BucketCosts costs;
  costs.elements = elements;
  costs.reduce = collectives.time(CollectiveKind::all_reduce, gradients.bytes(), reduced_over);
  costs.clear = cost_of(Fill{gradients, 0.0}, kernels);
  costs.squares = cost_of(SumOfSquares{gradients, norm, 1.0}, kernels);
  AdamW update;
  update.gradient = update.master = update.first_moment = update.second_moment = gradients;
  update.squared_norm = norm;
  update.parameter = values;
  costs.update = cost_of(update, kernels);
  return costs;
}

MemoryByKind resident_memory(std::int64_t elements, DType dtype) {
  const Bytes value = size_of(dtype);
  const Bytes wide_value = size_of(wide(dtype));
  const Bytes master = dtype == wide(dtype) ? 0 : wide_value;
  MemoryByKind memory{};
  memory[static_cast<std::size_t>(MemoryKind::parameters)] = elements * value;
  memory[static_cast<std::size_t>(MemoryKind::gradients)] = elements * wide_value;
  memory[static_cast<std::size_t>(MemoryKind::optimizer_state)] =
      elements * (2 * wide_value + master);
  return memory;
}

}  // namespace

ParameterCosts parameter_costs(const GptConfig& model, const TrainConfig& train,
                               const StepCosts& step, const KernelModel& kernels,
                               const FittedCollectives& collectives) {
  const auto weight = [&](Bytes block) { return weight_costs(block, train, kernels, collectives); };
  ParameterCosts costs;
  costs.tokens = weight(step.embedding.tokens);
  costs.positions = weight(step.embedding.positions);
  costs.qkv = weight(step.qkv.weight);
  costs.projection = weight(step.projection.weight);
  costs.expand = weight(step.expand.weight);
  costs.contract = weight(step.contract.weight);

  const std::int64_t h = model.hidden;
  const std::int64_t x = train.grid.size(Axis::x);
  const std::int64_t y = train.grid.size(Axis::y);
  const Bytes block_shards =
      costs.qkv.shard + costs.projection.shard + costs.expand.shard + costs.contract.shard;
  const std::int64_t tokens = costs.tokens.shard / size_of(train.dtype);
  const std::int64_t positions = costs.positions.shard / size_of(train.dtype);
  const std::int64_t block = block_shards / size_of(train.dtype);
  // Biases of qkv and of the expansion lie over x; norms and the other biases over y.
  const std::int64_t vectors_x = model.layers * (3 * h + model.ffn) / x;
  const std::int64_t vectors_y = (model.layers * 6 * h + 2 * h) / y;

  const auto bucket = [&](std::int64_t elements, AxisSet axes) {
    return bucket_costs(elements, axes, train, kernels, collectives);
  };
  costs.tokens_bucket = bucket(tokens, Axis::data);
  costs.positions_bucket = bucket(positions, Axis::data);
  costs.block_bucket = bucket(block, Axis::data);
  costs.vectors_x = bucket(vectors_x, kBatchAxes);
  costs.vectors_y = bucket(vectors_y, kBatchAxes);
  if (!model.tied) costs.head_bucket = costs.tokens_bucket;
  const std::int64_t elements =
      tokens * (model.tied ? 1 : 2) + positions + model.layers * block + vectors_x + vectors_y;
  costs.resident = resident_memory(elements, train.dtype);
  return costs;
}

}  // namespace fourfold
