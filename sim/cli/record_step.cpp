#include "sim/cli/record_step.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/schedule/train_step.hpp"

namespace fourfold::sim {
namespace {

/// A program of so many micro-batches would not fit this computer's memory.
constexpr std::int64_t kMostMicroBatches = 10000;

void check_micro_batches(const TrainConfig& train) {
  if (train.micro_batches() <= kMostMicroBatches) return;
  throw ConfigError(
      fmt::format("batch {} on grid {} needs {} micro-batches of {} sequences per GPU; at most {} "
                  "can be simulated, so "
                  "choose a smaller --batch, a larger --micro-batch or more ranks along z and data",
                  train.batch, train.grid.to_string(), train.micro_batches(), train.micro_batch,
                  kMostMicroBatches));
}

RecordedStep record(const GptConfig& model, const TrainConfig& train, Bytes capacity) {
  check_micro_batches(train);
  return {train, record_train_step(model, train, capacity)};
}

}  // namespace

RecordedStep record_step(const GptConfig& model, TrainConfig train,
                         std::optional<std::int64_t> micro_batch, Bytes gpu_memory) {
  constexpr Bytes kUnlimited = 0;
  train.micro_batch = micro_batch.value_or(1);
  check_divisibility(model, train);
  if (micro_batch) return record(model, train, kUnlimited);

  std::vector<std::int64_t> choices = micro_batch_choices(train);
  for (; choices.size() > 1; choices.pop_back()) {
    train.micro_batch = choices.back();
    try {
      return record(model, train, gpu_memory);
    } catch (const OutOfMemory&) {
      // The next smaller one may fit.
    }
  }
  train.micro_batch = choices.front();
  return record(model, train, kUnlimited);
}

}  // namespace fourfold::sim
