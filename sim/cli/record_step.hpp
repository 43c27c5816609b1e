#pragma once
// From a configuration to the program of a step, with the micro-batch chosen where the user leaves
// it open.

#include <optional>

#include "core/program/step_program.hpp"
#include "core/schedule/train_config.hpp"

namespace fourfold::sim {

struct RecordedStep {
  TrainConfig train;  ///< with the micro-batch that was chosen
  StepProgram program;
};

/// Records the step with `micro_batch` sequences per GPU and micro-batch or, if none is given, with
/// the largest possible number that fits `gpu_memory`; where nothing fits, with the smallest. The
/// caller compares the recorded peak with the memory. Throws the errors of check_divisibility.
RecordedStep record_step(const GptConfig& model, TrainConfig train,
                         std::optional<std::int64_t> micro_batch, Bytes gpu_memory);

}  // namespace fourfold::sim
