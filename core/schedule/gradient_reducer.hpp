#pragma once
// Sums gradients over the ranks that saw other rows: all_reduce over data (paper, section V.A), and over z as well for
// the vectors that are not sharded over it. With overlap (ODP) a bucket is reduced as soon as its last contribution of
// the step has arrived, otherwise all are reduced after the backward pass.

#include <vector>

#include "core/backend/ops.hpp"
#include "core/layers/parameter.hpp"

namespace fourfold {

class GradientReducer {
 public:
  /// Counts on `micro_batches` times each parameter's uses before a bucket is complete.
  GradientReducer(ParameterStore& store, std::int64_t micro_batches, bool overlap);

  /// One contribution to the gradient of `parameter` has been added.
  void contributed(RankContext& context, const Parameter& parameter);

  /// Reduces what is left; afterwards all gradients are complete on the compute stream.
  void finish(RankContext& context);

 private:
  void start(RankContext& context, std::size_t bucket);

  ParameterStore& store_;
  bool overlap_;
  std::vector<std::int64_t> missing_;  ///< contributions each bucket still waits for
  std::vector<bool> started_;
  std::vector<Pending> pending_;
};

}  // namespace fourfold
