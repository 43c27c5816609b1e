#include "core/schedule/train_config.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"

namespace fourfold {

std::int64_t TrainConfig::sequences_per_rank() const {
  return divide_exactly(batch, "batch", grid.size(kBatchAxes), "grid.z x grid.data");
}

std::int64_t TrainConfig::micro_batches() const {
  return divide_exactly(sequences_per_rank(), "sequences per rank (batch / grid.z / grid.data)", micro_batch,
                        "micro_batch");
}

std::vector<std::int64_t> micro_batch_choices(const TrainConfig& train) { return divisors(train.sequences_per_rank()); }

void check_divisibility(const GptConfig& model, const TrainConfig& train) {
  const std::int64_t x = train.grid.size(Axis::x), y = train.grid.size(Axis::y), z = train.grid.size(Axis::z);
  if (train.sequence < 1 || train.sequence > model.sequence) {
    throw ConfigError(fmt::format("sequence length {} is outside 1 ... {}, the positions of model {}", train.sequence,
                                  model.sequence, model.name));
  }
  if (!(train.dropout >= 0.0 && train.dropout < 1.0)) {
    throw ConfigError(fmt::format("dropout {} is not in [0, 1)", train.dropout));
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
