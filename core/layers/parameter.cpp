#include "core/layers/parameter.hpp"

#include <algorithm>
#include <utility>

#include "core/backend/ops.hpp"

namespace fourfold {

Parameter* ParameterStore::add(const Grid& grid, const std::string& bucket, ParameterSpec spec) {
  auto found = std::find_if(buckets_.begin(), buckets_.end(), [&](const auto& b) { return b.name == bucket; });
  if (found == buckets_.end()) {
    ParameterBucket fresh;
    fresh.name = bucket;
    fresh.reduced_over = spec.placement.flat.contains(Axis::z) ? AxisSet(Axis::data) : kBatchAxes;
    fresh.replicas = replicas(spec.placement, grid);
    fresh.weight_decay = spec.shape[0] > 1;
    buckets_.push_back(std::move(fresh));
    found = buckets_.end() - 1;
  }
  auto parameter = std::make_unique<Parameter>();
  parameter->bucket = static_cast<std::size_t>(found - buckets_.begin());
  parameter->value.shape = {shard_elements(spec.shape, spec.placement, grid, spec.name)};
  parameter->spec = std::move(spec);
  found->parameters.push_back(parameter.get());
  parameters_.push_back(std::move(parameter));
  return parameters_.back().get();
}

void ParameterStore::allocate(RankContext& context) {
  const DType wide_type = wide(dtype_);
  for (ParameterBucket& bucket : buckets_) {
    std::int64_t elements = 0;
    for (const Parameter* parameter : bucket.parameters) elements += parameter->value.elements();
    const auto flat = [&](DType dtype, MemoryKind kind) { return context.device.allocate({elements}, dtype, kind); };
    bucket.values = flat(dtype_, MemoryKind::parameters);
    bucket.gradients = flat(wide_type, MemoryKind::gradients);
    bucket.master = dtype_ == wide_type ? bucket.values : flat(wide_type, MemoryKind::optimizer_state);
    bucket.first_moment = flat(wide_type, MemoryKind::optimizer_state);
    bucket.second_moment = flat(wide_type, MemoryKind::optimizer_state);
    std::int64_t begin = 0;
    for (Parameter* parameter : bucket.parameters) {
      const std::int64_t count = parameter->value.elements();
      parameter->value = flat_slice(bucket.values, begin, count);
      parameter->gradient = flat_slice(bucket.gradients, begin, count);
      begin += count;
    }
  }
}

}  // namespace fourfold
