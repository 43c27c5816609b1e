#include "real/train/generator.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/counter_random.hpp"
#include "core/schedule/train_step.hpp"

namespace fourfold::real {
namespace {

template <typename T>
std::vector<double> download(RankContext& context, const Tensor& tensor) {
  std::vector<T> values(static_cast<std::size_t>(tensor.elements()));
  context.device.download(Stream::compute, tensor, std::as_writable_bytes(std::span(values)));
  return {values.begin(), values.end()};
}

}  // namespace

std::int32_t draw_token(std::span<const double> logits, double temperature, double uniform) {
  const auto likeliest = std::max_element(logits.begin(), logits.end());
  const auto index_of = [&](auto place) {
    return static_cast<std::int32_t>(place - logits.begin());
  };
  if (temperature == 0.0) return index_of(likeliest);
  double sum = 0;
  std::vector<double> sums;  // of exp(logit / temperature), up to each token
  for (const double logit : logits)
    sums.push_back(sum += std::exp((logit - *likeliest) / temperature));
  const auto drawn = std::upper_bound(sums.begin(), sums.end(), uniform * sum);
  return static_cast<std::int32_t>(std::min(drawn, sums.end() - 1) - sums.begin());
}

std::int32_t Generator::next(const std::vector<std::int32_t>& tokens) {
  const std::uint64_t key = random_key(sampling_.seed, "generate");
  return draw_token(last_logits(tokens), sampling_.temperature, random_uniform(key, tokens.size()));
}

std::vector<double> Generator::last_logits(const std::vector<std::int32_t>& tokens) {
  const auto length = static_cast<std::size_t>(train_.sequence);
  const std::size_t seen = std::min(tokens.size(), length);
  std::vector<std::int32_t> window(tokens.end() - static_cast<std::ptrdiff_t>(seen), tokens.end());
  window.resize(length, 0);  // what follows the last token does not reach it: attention is causal
  const Tensor blocks =
      next_token_logits(context_, model_, train_, window);  // (x y, sequence, V/xy)
  const std::int64_t columns = blocks.shape[2];
  std::vector<double> logits;
  for (std::int64_t block = 0; block < blocks.shape[0]; ++block) {
    const std::int64_t row = block * train_.sequence + static_cast<std::int64_t>(seen) - 1;
    const Tensor part = flat_slice(blocks, row * columns, columns);
    const std::vector<double> values = part.dtype == DType::float64
                                           ? download<double>(context_, part)
                                           : download<float>(context_, part);
    logits.insert(logits.end(), values.begin(), values.end());
  }
  return logits;
}

}  // namespace fourfold::real
