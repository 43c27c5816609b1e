#include "core/schedule/train_config.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"

namespace fourfold {
namespace {

/// Sequences that one rank sees in a step.
std::int64_t sequences_per_rank(const TrainConfig& train) {
  return divide_exactly(train.batch, "batch", train.grid.size(kBatchAxes), "grid.z x grid.data");
}

}  // namespace

std::int64_t TrainConfig::micro_batches() const {
  return divide_exactly(sequences_per_rank(*this), "sequences per rank (batch / grid.z / grid.data)", micro_batch,
                        "micro_batch");
}

std::vector<std::int64_t> micro_batch_choices(const TrainConfig& train) { return divisors(sequences_per_rank(train)); }

void check_divisibility(const GptConfig& model, const TrainConfig& train) {
  const std::int64_t x = train.grid.size(Axis::x), y = train.grid.size(Axis::y), z = train.grid.size(Axis::z);
  if (train.sequence < 1 || train.sequence > model.sequence) {
    throw ConfigError(fmt::format("sequence length {} is outside 1 ... {}, the positions of model {}", train.sequence,
                                  model.sequence, model.name));
  }
  multiply_checked(train.batch, train.sequence, "tokens per step (batch x sequence)");
  divide_exactly(model.heads, "heads", x, "grid.x");
  divide_exactly(model.hidden, "hidden", y, "grid.y");
  divide_exactly(model.ffn, "ffn", x, "grid.x");
  divide_exactly(model.vocabulary, "vocabulary", x * y, "grid.x x grid.y");
  const auto shard = [&](std::string_view name, std::int64_t block) { divide_exactly(block, name, z, "grid.z"); };
  shard("elements of the attention projection per x and y", model.hidden / x * (model.hidden / y));
  shard("elements of the feed-forward weights per x and y", model.ffn / x * (model.hidden / y));
  shard("elements of the token embedding per x and y", model.vocabulary / (x * y) * model.hidden);
  shard("elements of the position embedding per y", model.sequence * (model.hidden / y));
  train.micro_batches();
}

}  // namespace fourfold
