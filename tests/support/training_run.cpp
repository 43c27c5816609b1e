#include "tests/support/training_run.hpp"

#include <mutex>

#include "core/base/counter_random.hpp"
#include "tests/support/tensor_values.hpp"

namespace fourfold::test {
namespace {

constexpr std::uint64_t kSeed = 20240917;

/// The number of a sequence in the whole data set; each step reads `batch` new ones, each rank its
/// equal part.
std::int64_t first_sequence(const RankContext& context, const TrainConfig& train, int step) {
  const std::int64_t per_rank = train.batch / context.size(kBatchAxes);
  return step * train.batch + context.index(kBatchAxes) * per_rank;
}

}  // namespace

void set_random_parameters(RankContext& context, ParameterStore& store) {
  constexpr double kDeviation = 0.2;
  for (const auto& parameter : store.parameters()) {
    const ParameterSpec& spec = parameter->spec;
    const std::uint64_t key = random_key(kSeed, spec.name);
    std::vector<double> values;
    for (const ShardRun& run : shard_runs(spec.shape, spec.placement, context.grid, context.rank)) {
      for (std::int64_t i = 0; i < run.count; ++i) {
        values.push_back(spec.mean + kDeviation * random_normal(key, static_cast<std::uint64_t>(
                                                                         run.global + i)));
      }
    }
    upload_values(context.device, parameter->value, values);
  }
  for (ParameterBucket& bucket : store.buckets()) {
    if (bucket.master.storage != bucket.values.storage)
      launch(context, Cast{bucket.values, bucket.master});
    launch(context, Fill{bucket.first_moment, 0.0});
    launch(context, Fill{bucket.second_moment, 0.0});
  }
}

RankTokens random_tokens(const RankContext& context, const GptConfig& model,
                         const TrainConfig& train, int step) {
  const std::uint64_t key = random_key(kSeed, "data");
  const std::int64_t stride = train.sequence + 1;  // the targets are the tokens one position on
  const auto token = [&](std::int64_t position) {
    const std::uint64_t bits = random_bits(key, static_cast<std::uint64_t>(position));
    return static_cast<std::int32_t>(bits % static_cast<std::uint64_t>(model.vocabulary));
  };
  const std::int64_t first = first_sequence(context, train, step);
  RankTokens data;
  for (std::int64_t sequence = 0; sequence < train.batch / context.size(kBatchAxes); ++sequence) {
    for (std::int64_t i = 0; i < train.sequence; ++i) {
      data.tokens.push_back(token((first + sequence) * stride + i));
      data.targets.push_back(token((first + sequence) * stride + i + 1));
    }
  }
  return data;
}

void collect(RankContext& context, ParameterStore& store, Tensor Parameter::*view,
             NamedValues& whole) {
  for (const auto& parameter : store.parameters()) {
    const ParameterSpec& spec = parameter->spec;
    const std::vector<double> shard = download_values(context.device, (*parameter).*view);
    std::vector<double>& values = whole[spec.name];
    values.resize(static_cast<std::size_t>(element_count(spec.shape)));
    for (const ShardRun& run : shard_runs(spec.shape, spec.placement, context.grid, context.rank)) {
      std::copy_n(shard.begin() + run.local, run.count, values.begin() + run.global);
    }
  }
}

TrainingRun run_training(const GptConfig& model, const TrainConfig& train, int steps,
                         const real::ReferenceOptions& options) {
  check_divisibility(model, train);
  TrainingRun result;
  std::mutex mutex;
  real::run_ranks(
      train.grid,
      [&](RankContext& context) {
        Gpt gpt(context, model, train);
        set_random_parameters(context, gpt.parameters());
        for (int step = 0; step < steps; ++step) {
          const RankTokens data = random_tokens(context, model, train, step);
          const StepResult outcome = train_step(context, gpt, train, {data.tokens, data.targets},
                                                train.optimizer.learning_rate, step + 1);
          context.device.synchronize();  // nobody waits for this rank while it holds the lock
          const std::lock_guard lock(mutex);
          if (step == 0)
            collect(context, gpt.parameters(), &Parameter::gradient, result.first_gradients);
          if (context.rank != 0) continue;
          result.losses.push_back(outcome.loss);
          result.gradient_norms.push_back(outcome.gradient_norm);
        }
        const std::lock_guard lock(mutex);
        collect(context, gpt.parameters(), &Parameter::value, result.parameters);
      },
      options);
  return result;
}

}  // namespace fourfold::test
