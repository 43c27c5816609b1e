#include "sim/cli/record_step.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/schedule/train_step.hpp"

namespace fourfold::sim {
namespace {

/// A program of so many micro-batches would not fit this computer's memory.
constexpr std::int64_t kMostMicroBatches = 10000;

/// Fewer are not worth folding.
constexpr std::int64_t kFewestFolded = 7;
/// Enough for the peak of memory, which a later micro-batch does not exceed.
constexpr std::int64_t kRecordedOfFolded = 3;

RecordedStep record(const GptConfig& model, const TrainConfig& train, Bytes capacity,
                    FoldTime fold_time) {
  if (fold_time == FoldTime::automatic && train.micro_batches() >= kFewestFolded) {
    const TrainConfig part = with_micro_batches(train, kRecordedOfFolded);
    return {train, record_train_step(model, part, capacity), kRecordedOfFolded};
  }
  check_micro_batches(train);
  return {train, record_train_step(model, train, capacity), train.micro_batches()};
}

}  // namespace

TrainConfig with_micro_batches(TrainConfig train, std::int64_t count) {
  train.batch = count * train.micro_batch * train.grid.size(kBatchAxes);
  return train;
}

void check_micro_batches(const TrainConfig& train) {
  if (train.micro_batches() <= kMostMicroBatches) return;
  throw ConfigError(fmt::format(
      "batch {} on grid {} needs {} micro-batches of {} sequences per GPU; at most {} can be "
      "replayed one by one, so fold them, or choose a smaller --batch, a larger --micro-batch or "
      "more ranks along z and data",
      train.batch, train.grid.to_string(), train.micro_batches(), train.micro_batch,
      kMostMicroBatches));
}

RecordedStep record_step(const GptConfig& model, TrainConfig train,
                         std::optional<std::int64_t> micro_batch, Bytes gpu_memory,
                         FoldTime fold_time) {
  constexpr Bytes kUnlimited = 0;
  train.micro_batch = micro_batch.value_or(1);
  check_divisibility(model, train);
  if (micro_batch) return record(model, train, kUnlimited, fold_time);

  std::vector<std::int64_t> choices = micro_batch_choices(train);
  for (; choices.size() > 1; choices.pop_back()) {
    train.micro_batch = choices.back();
    try {
      return record(model, train, gpu_memory, fold_time);
    } catch (const OutOfMemory&) {
      // The next smaller one may fit.
    }
  }
  train.micro_batch = choices.front();
  return record(model, train, kUnlimited, fold_time);
}

}  // namespace fourfold::sim
