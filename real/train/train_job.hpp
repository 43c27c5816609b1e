#pragma once
// A checked request with its data opened and its starting point found: what all ranks share, read-only.

#include <optional>

#include "real/checkpoint/manifest.hpp"
#include "real/data/batches.hpp"
#include "real/train/train_options.hpp"

namespace fourfold::real {

struct TrainJob {
  TrainRequest request;
  Batches training;
  std::optional<Batches> validation;
  RunState start;                                      ///< step 0, or that of `resume_from`
  std::optional<std::filesystem::path> resume_from{};  ///< the checkpoint to load
};

/// Throws ConfigError for data that is unusable, for a folder that holds another run, and for a checkpoint that does
/// not belong to model, data, seed and sequence length of the request.
TrainJob prepare_job(TrainRequest request);

}  // namespace fourfold::real
