#pragma once
// Brings the whole local block of a weight, W = all_gather_z(W shard), to a layer that asks for it (paper, Algorithm 1,
// line 2). With overlap (OAG) the next weight of the plan is gathered while the present layer computes.

#include <deque>

#include "core/backend/ops.hpp"
#include "core/layers/parameter.hpp"

namespace fourfold {

class WeightGatherer {
 public:
  explicit WeightGatherer(bool overlap) : overlap_(overlap) {}

  /// Appends to the sequence in which weights will be taken.
  void plan(const Parameter* parameter) { planned_.push_back(parameter); }

  /// The block of `parameter`, (rows, columns) as placed on this rank. Weights must be taken in the planned order.
  Tensor take(RankContext& context, const Parameter& parameter);

 private:
  Pending start(RankContext& context, const Parameter& parameter) const;

  bool overlap_;
  std::deque<const Parameter*> planned_;
  const Parameter* prefetched_ = nullptr;
  Pending pending_;  ///< of `prefetched_`
};

}  // namespace fourfold
