#include "core/schedule/gradient_reducer.hpp"

namespace fourfold {

GradientReducer::GradientReducer(ParameterStore& store, std::int64_t micro_batches, bool overlap)
    : store_(store), overlap_(overlap) {
  for (const ParameterBucket& bucket : store.buckets()) {
    std::int64_t uses = 0;
    for (const Parameter* parameter : bucket.parameters) uses += parameter->spec.uses;
    missing_.push_back(uses * micro_batches);
    started_.push_back(false);
  }
}

void GradientReducer::contributed(RankContext& context, const Parameter& parameter) {
  if (--missing_[parameter.bucket] == 0 && overlap_) start(context, parameter.bucket);
}

void GradientReducer::finish(RankContext& context) {
  for (std::size_t bucket = 0; bucket < started_.size(); ++bucket) {
    if (!started_[bucket]) start(context, bucket);
  }
  for (Pending& pending : pending_) join(context, pending);
}

void GradientReducer::start(RankContext& context, std::size_t bucket) {
  const ParameterBucket& reduced = store_.buckets()[bucket];
  pending_.push_back(start_all_reduce(context, Stream::comm_data, reduced.reduced_over, reduced.gradients));
  started_[bucket] = true;
}

}  // namespace fourfold
