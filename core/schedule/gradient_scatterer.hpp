#pragma once
// Adds the gradient of a weight to this rank's shard: dW shard += reduce_scatter_z(dW) (paper, Algorithm 1, line 7).
// With overlap (ORS) the scatters run behind the backward pass and are joined a few layers later.

#include <deque>

#include "core/backend/ops.hpp"
#include "core/layers/parameter.hpp"
#include "core/schedule/gradient_reducer.hpp"

namespace fourfold {

class GradientScatterer {
 public:
  /// The paper joins all scatters after the backward pass, which would keep every dW alive. As many as a transformer
  /// block has weights hide as well and bound the memory.
  static constexpr std::size_t kMaxInFlight = 4;

  GradientScatterer(GradientReducer& reducer, bool overlap) : reducer_(reducer), overlap_(overlap) {}

  /// `d_weight`: this rank's contribution to the whole local block, Partial over z.
  void scatter(RankContext& context, Parameter& parameter, const Tensor& d_weight);
  /// A parameter that is not sharded has had its local gradient added in place.
  void added_in_place(RankContext& context, const Parameter& parameter) { reducer_.contributed(context, parameter); }
  /// Joins and adds everything in flight.
  void finish(RankContext& context);

 private:
  struct Scatter {
    Parameter* parameter;
    Pending pending;
  };
  void retire_oldest(RankContext& context);

  GradientReducer& reducer_;
  bool overlap_;
  std::deque<Scatter> in_flight_;
};

}  // namespace fourfold
