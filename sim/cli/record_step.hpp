#pragma once
// From a configuration to the program of a step, with the micro-batch chosen where the user leaves
// it open.

#include <optional>

#include "core/program/step_program.hpp"
#include "core/schedule/train_config.hpp"

namespace fourfold::sim {

/// Whether a step of many micro-batches is recorded and replayed only in part (simulate_step.hpp).
enum class FoldTime { automatic, off };

struct RecordedStep {
  TrainConfig train;  ///< with the micro-batch that was chosen
  /// Of the step with `recorded_micro_batches`; its memory and all but the number of equal operations are the step's.
  StepProgram program;
  std::int64_t recorded_micro_batches = 0;
};

/// The same training with so many micro-batches a step.
TrainConfig with_micro_batches(TrainConfig train, std::int64_t count);
/// Throws ConfigError for more micro-batches than can be replayed one by one.
void check_micro_batches(const TrainConfig& train);

/// Records the step with `micro_batch` sequences per GPU and micro-batch or, if none is given, with
/// the largest possible number that fits `gpu_memory`; where nothing fits, with the smallest. The
/// caller compares the recorded peak with the memory. Throws the errors of check_divisibility.
RecordedStep record_step(const GptConfig& model, TrainConfig train,
                         std::optional<std::int64_t> micro_batch, Bytes gpu_memory,
                         FoldTime fold_time = FoldTime::automatic);

}  // namespace fourfold::sim
