#pragma once
// One training step of one rank: the program that is recorded, simulated and run.

#include <span>

#include "core/models/gpt.hpp"
#include "core/program/step_program.hpp"

namespace fourfold {

/// What one rank reads in a step: the tokens and targets of its sequences, micro-batch after micro-batch. The batch is
/// split evenly over z and data: rank r takes sequences [i n, (i + 1) n) of it, where i is r's index along z and data
/// and n = sequences_per_rank. Empty spans stand for data that nobody looks at (recording).
struct StepData {
  std::span<const std::int32_t> tokens, targets;
};

struct StepResult {
  double loss = 0.0;           ///< mean over all tokens of the batch
  double gradient_norm = 0.0;  ///< before clipping
};

/// Forward, backward, reduction, clipping, update. `step` counts from 1.
StepResult train_step(RankContext& context, Gpt& model, const TrainConfig& train, const StepData& data,
                      double learning_rate, std::int64_t step);

/// Mean loss over all tokens of `data`, without training: as many micro-batches as a training step has.
double evaluate(RankContext& context, Gpt& model, const TrainConfig& train, const StepData& data);

/// Logits of all rows, in blocks (x y, rows, V/xy), for sequences of tokens that every rank along z and data gives alike.
Tensor next_token_logits(RankContext& context, Gpt& model, const TrainConfig& train,
                         std::span<const std::int32_t> tokens);

/// Records the step of `rank`. Throws OutOfMemory if it needs more than `memory_capacity` bytes (0 = unlimited), and
/// the errors of check_divisibility.
StepProgram record_train_step(const GptConfig& model, const TrainConfig& train, Bytes memory_capacity = 0,
                              int rank = 0);

}  // namespace fourfold
