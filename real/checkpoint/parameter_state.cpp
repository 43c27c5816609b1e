#include "real/checkpoint/parameter_state.hpp"

#include "core/backend/ops.hpp"

namespace fourfold::real {

std::vector<ParameterState> parameter_states(const ParameterStore& store) {
  std::vector<ParameterState> states;
  for (const ParameterBucket& bucket : store.buckets()) {
    std::int64_t begin = 0;
    for (const Parameter* parameter : bucket.parameters) {
      const std::int64_t count = parameter->value.elements();
      states.push_back(
          {parameter,
           {flat_slice(bucket.master, begin, count), flat_slice(bucket.first_moment, begin, count),
            flat_slice(bucket.second_moment, begin, count)}});
      begin += count;
    }
  }
  return states;
}

void refresh_training_copies(RankContext& context, const ParameterStore& store) {
  for (const ParameterBucket& bucket : store.buckets()) {
    if (bucket.master.storage == bucket.values.storage) continue;
    launch(context, Cast{bucket.master, bucket.values});
  }
}

}  // namespace fourfold::real
