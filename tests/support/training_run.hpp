#pragma once
// Trains a GPT on the reference backend and collects what must not depend on the grid.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/schedule/train_step.hpp"
#include "real/reference/run_ranks.hpp"

namespace fourfold::test {

/// Whole tensors, flattened, by parameter name.
using NamedValues = std::map<std::string, std::vector<double>>;

struct TrainingRun {
  std::vector<double> losses;          ///< by step
  std::vector<double> gradient_norms;  ///< by step
  NamedValues first_gradients;         ///< of the first step, before clipping
  NamedValues parameters;              ///< after the last step
};

/// Starts from initial values all of which differ from zero (biases too, so that none is trained
/// without being tested) and reads random tokens; both depend on the model and the global element
/// only.
TrainingRun run_training(const GptConfig& model, const TrainConfig& train, int steps,
                         const real::ReferenceOptions& options = {});

/// Sets every parameter: normally distributed around its mean, with a deviation that makes all
/// layers matter.
void set_random_parameters(RankContext& context, ParameterStore& store);

/// What a rank reads in a step: tokens or targets of its sequences.
struct RankTokens {
  std::vector<std::int32_t> tokens, targets;
};
RankTokens random_tokens(const RankContext& context, const GptConfig& model,
                         const TrainConfig& train, int step);

/// Adds this rank's shards to the whole tensors. `view` picks value or gradient. Not thread-safe.
void collect(RankContext& context, ParameterStore& store, Tensor Parameter::*view,
             NamedValues& whole);

}  // namespace fourfold::test
