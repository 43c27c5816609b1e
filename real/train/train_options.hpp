#pragma once
// The flags of `fourfold-train train` and what they mean.

#include <optional>

#include "core/cli/arguments.hpp"
#include "core/models/gpt_config.hpp"
#include "core/schedule/train_config.hpp"
#include "real/train/backend.hpp"

namespace fourfold::real {

struct TrainRequest {
  GptConfig model;
  TrainConfig train;
  BackendOptions backend;

  std::vector<std::filesystem::path> data, validation_data;
  double validation_fraction = 0;  ///< of `data`, where there is no validation_data

  std::int64_t steps =
      0;  ///< in total, over all resumed runs; also the length of the learning rate's schedule
  std::int64_t warmup_steps = 0;
  double final_learning_rate = 0;
  std::uint64_t seed = 0;

  std::int64_t evaluate_every = 0, evaluation_batches = 0;  ///< 0 = never
  std::int64_t save_every = 0;                              ///< 0 = only at the end
  std::size_t keep = 0;                                     ///< checkpoints
  std::int64_t log_every = 0;  ///< steps per line where nobody watches a progress bar

  std::filesystem::path out;  ///< empty: no checkpoints
  bool resume = false;
  std::optional<std::filesystem::path> initial_weights;
  std::optional<std::filesystem::path> metrics;
  bool metrics_tokens = false;       ///< also every batch
  std::optional<double> peak_flops;  ///< per rank; measured if not given
  bool profile = false, quiet = false;
};

boost::program_options::options_description train_options();

/// Throws ConfigError or ShapeError with the flag, what is wrong and the remedy.
TrainRequest read_train_request(const Arguments& arguments);

}  // namespace fourfold::real
