#pragma once
// The flags of `fourfold-sim simulate` and what they mean.

#include <optional>

#include "core/cli/arguments.hpp"
#include "core/models/gpt_config.hpp"
#include "core/schedule/train_config.hpp"
#include "sim/cli/record_step.hpp"
#include "sim/simulation.hpp"

namespace fourfold::sim {

boost::program_options::options_description simulate_options();

struct SimulateRequest {
  GptConfig model;
  TrainConfig train;                        ///< micro_batch as below
  std::optional<std::int64_t> micro_batch;  ///< none: the largest that fits
  std::filesystem::path machine;
  SimulationOptions simulation;
  FoldTime fold_time = FoldTime::automatic;
  bool quiet = false;
};

/// Throws ConfigError or ShapeError with the flag, what is wrong and the remedy.
SimulateRequest read_simulate_request(const Arguments& arguments);

}  // namespace fourfold::sim
