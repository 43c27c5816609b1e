#pragma once
// Continues a sequence of tokens with a trained model, one token at a time.

#include "core/models/gpt.hpp"

namespace fourfold::real {

struct SamplingOptions {
  double temperature = 0.8;  ///< 0 = always the likeliest token
  std::uint64_t seed = 1;
};

/// Draws from softmax(logits / temperature). `uniform` in (0, 1) decides.
std::int32_t draw_token(std::span<const double> logits, double temperature, double uniform);

class Generator {
 public:
  /// train.sequence tokens are the context that the model sees at most.
  Generator(RankContext& context, Gpt& model, const TrainConfig& train, SamplingOptions sampling)
      : context_(context), model_(model), train_(train), sampling_(sampling) {}

  /// The token after `tokens`, of which there is at least one; the same on every rank and every grid (up to rounding).
  std::int32_t next(const std::vector<std::int32_t>& tokens);

 private:
  std::vector<double> last_logits(const std::vector<std::int32_t>& tokens);

  RankContext& context_;
  Gpt& model_;
  const TrainConfig& train_;
  SamplingOptions sampling_;
};

}  // namespace fourfold::real
