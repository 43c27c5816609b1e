#include "core/schedule/weight_gatherer.hpp"

#include <stdexcept>
#include <utility>

namespace fourfold {

Tensor WeightGatherer::take(RankContext& context, const Parameter& parameter) {
  if (planned_.empty() || planned_.front() != &parameter) {
    throw std::logic_error("weight " + parameter.spec.name + " was taken out of the planned order");
  }
  planned_.pop_front();
  Pending gathered = std::exchange(prefetched_, nullptr) == &parameter ? std::exchange(pending_, {})
                                                                       : start(context, parameter);
  join(context, gathered);
  if (overlap_ && !planned_.empty()) {
    prefetched_ = planned_.front();
    pending_ = start(context, *prefetched_);
  }
  const ParameterSpec& spec = parameter.spec;
  return reshaped(gathered.result, local_block(spec.shape, spec.placement, context.grid, spec.name));
}

Pending WeightGatherer::start(RankContext& context, const Parameter& parameter) const {
  return start_all_gather(context, Stream::comm_z_gather, parameter.spec.placement.flat, parameter.value,
                          MemoryKind::gathered_weights);
}

}  // namespace fourfold
