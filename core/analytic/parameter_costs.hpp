#pragma once
// What depends on how parameters are sharded: gathering weights, scattering and reducing gradients,
// the optimizer. One entry for each matrix, and one for each bucket (core/layers/parameter.hpp).

#include <array>

#include "core/analytic/comm_model.hpp"
#include "core/analytic/step_costs.hpp"
#include "core/program/memory_account.hpp"

namespace fourfold {

/// A matrix sharded over z.
struct WeightCosts {
  Bytes block = 0;         ///< gathered
  Bytes shard = 0;         ///< this rank's part, in the training type
  CollectiveTime gather;   ///< all-gather of the block
  CollectiveTime scatter;  ///< reduce-scatter of its gradient
  KernelCost accumulate;   ///< gradient shard += scattered
};

/// Parameters that are reduced and updated together.
struct BucketCosts {
  std::int64_t elements = 0;
  CollectiveTime reduce;  ///< all-reduce of the gradients
  KernelCost clear, squares, update;
};

struct ParameterCosts {
  WeightCosts tokens, positions, qkv, projection, expand, contract;
  BucketCosts tokens_bucket, positions_bucket, block_bucket, vectors_x, vectors_y;
  BucketCosts head_bucket;  ///< of an untied head; empty otherwise
  MemoryByKind resident{};  ///< parameters, gradients and optimizer state of all buckets

  /// The buckets that there is one of; block_bucket is there once a block.
  std::array<const BucketCosts*, 5> single_buckets() const {
    return {&tokens_bucket, &positions_bucket, &vectors_x, &vectors_y, &head_bucket};
  }
};

ParameterCosts parameter_costs(const GptConfig& model, const TrainConfig& train,
                               const StepCosts& step, const KernelModel& kernels,
                               const FittedCollectives& collectives);

}  // namespace fourfold
