#include "real/data/batches.hpp"

#include <fmt/format.h>

#include "core/base/counter_random.hpp"
#include "core/base/error.hpp"
#include "real/data/permutation.hpp"

namespace fourfold::real {

Batches::Batches(Corpus corpus, std::int64_t sequence, std::uint64_t seed, const char* purpose)
    : corpus_(std::move(corpus)),
      sequence_(sequence),
      key_(random_key(seed, "order of samples")),
      windows_((corpus_.size() - 1) / sequence) {
  if (windows_ < 1) {
    throw ConfigError(
        fmt::format("the {} data has {} tokens, but a sequence of {} needs at least {}; give more "
                    "text or a smaller --seq",
                    purpose, corpus_.size(), sequence, sequence + 1));
  }
}

RankBatch Batches::read(std::int64_t first, std::int64_t batch, int part, int parts) const {
  const std::int64_t share = batch / parts;
  const auto length = static_cast<std::size_t>(sequence_);
  RankBatch result;
  std::vector<std::int32_t> tokens(length + 1);
  for (std::int64_t i = 0; i < share; ++i) {
    corpus_.read(window(first + part * share + i) * sequence_, tokens);
    result.tokens.insert(result.tokens.end(), tokens.begin(), tokens.end() - 1);
    result.targets.insert(result.targets.end(), tokens.begin() + 1, tokens.end());
  }
  return result;
}

std::int64_t Batches::window(std::int64_t sample) const {
  const auto epoch = static_cast<std::uint64_t>(sample / windows_);
  return Permutation(random_bits(key_, epoch), windows_)(sample % windows_);
}

}  // namespace fourfold::real
