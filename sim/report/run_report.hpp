#pragma once
// Everything one simulated step is reported from: what was asked, what the program needs, what the
// simulation found. The writers beside this file (terminal, JSON, CSV, Chrome trace) only read it,
// so that all say the same.

#include <string>

#include "core/cost/framework_memory.hpp"
#include "core/models/gpt_config.hpp"
#include "core/program/step_program.hpp"
#include "core/schedule/train_config.hpp"
#include "sim/simulation.hpp"

namespace fourfold::sim {

/// What was asked for.
struct RunSetup {
  GptConfig model;
  TrainConfig train;
  std::string machine;
  std::string gpu;
  Flops peak_flops = 0;            ///< of one GPU, data sheet, FLOP/s
  Flops empirical_peak_flops = 0;  ///< of one GPU, best measured GEMM, FLOP/s
  Bytes gpu_memory = 0;
  double kernel_slowdown = 1;  ///< how many times longer than on one GPU kernels take (gpu_fleet.hpp)
  FrameworkMemory framework;  ///< what takes memory beside the program's tensors

  int gpus() const { return train.grid.world_size(); }
  double tokens() const {
    return static_cast<double>(train.batch) * static_cast<double>(train.sequence);
  }
};

/// FLOPs of a step, summed over all GPUs.
struct StepFlops {
  Flops counted = 0;  ///< of the recorded kernels
  Flops formula = 0;  ///< published formula, see GptConfig
};

struct StepMemory {
  MemoryByKind resident{};  ///< held when the step begins
  MemoryByKind peak{};
  std::string peak_place;  ///< range of the program in which the peak is reached
  FrameworkUse framework;  ///< beside all that

  /// What a GPU must have.
  Bytes needed() const { return total(peak) + framework.total(); }
};

/// A disturbance by itself.
struct DisturbanceCost {
  std::string name;
  Seconds step_time = 0;
};

struct RunReport {
  RunSetup setup;
  StepFlops hardware_flops;  ///< recomputation included
  StepFlops model_flops;     ///< recomputation left out
  StepMemory memory;
  std::vector<std::string>
      ranges;  ///< of the program; intervals of the timeline refer to them by index
  SimulationResult result;
  std::int64_t replayed_micro_batches = 0;  ///< of those of the step; the others continue their rhythm
  Seconds undisturbed_step_time = 0;        ///< where anything disturbs the step
  std::vector<DisturbanceCost> disturbances;

  double tokens_per_second() const { return setup.tokens() / result.step_time; }
  /// Share of the peak of all GPUs together, 0 to 1.
  double share_of_peak(Flops flops, Flops peak_of_one_gpu) const {
    return flops / (result.step_time * peak_of_one_gpu * setup.gpus());
  }
  /// Time in which the compute stream neither computed nor waited for a collective that is listed.
  Seconds other_idle() const;
};

/// What a program needs, before it is simulated; `result` is left empty.
RunReport describe_run(RunSetup setup, const StepProgram& program);

bool fits(const StepMemory& memory, Bytes gpu_memory);

}  // namespace fourfold::sim
