// Initial values. They are made on the host: a counter-based generator gives every global element its own number.

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "core/backend/ops.hpp"
#include "core/base/counter_random.hpp"
#include "core/layers/parameter.hpp"

namespace fourfold {
namespace {

std::vector<double> initial_values(const ParameterSpec& spec, const Grid& grid, int rank, std::uint64_t seed) {
  const std::uint64_t key = random_key(seed, spec.name);
  std::vector<double> values;
  for (const ShardRun& run : shard_runs(spec.shape, spec.placement, grid, rank)) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      const double deviate =
          spec.standard_deviation == 0.0 ? 0.0 : random_normal(key, static_cast<std::uint64_t>(run.global + i));
      values.push_back(spec.mean + spec.standard_deviation * deviate);
    }
  }
  return values;
}

/// Uploads to the master copy; the copy in the training type is rounded from it on the device.
template <typename T>
void upload_values(RankContext& context, const Tensor& destination, const std::vector<double>& values) {
  const std::vector<T> typed(values.begin(), values.end());
  context.device.upload(Stream::compute, std::as_bytes(std::span(typed)), destination);
}

}  // namespace

void initialize_parameters(RankContext& context, ParameterStore& store, std::uint64_t seed) {
  for (ParameterBucket& bucket : store.buckets()) {
    std::int64_t begin = 0;
    for (const Parameter* parameter : bucket.parameters) {
      const Tensor master = flat_slice(bucket.master, begin, parameter->value.elements());
      const std::vector<double> values = initial_values(parameter->spec, context.grid, context.rank, seed);
      if (master.dtype == DType::float64) upload_values<double>(context, master, values);
      else upload_values<float>(context, master, values);
      begin += parameter->value.elements();
    }
    if (bucket.master.storage != bucket.values.storage) launch(context, Cast{bucket.master, bucket.values});
    launch(context, Fill{bucket.first_moment, 0.0});
    launch(context, Fill{bucket.second_moment, 0.0});
  }
}

}  // namespace fourfold
