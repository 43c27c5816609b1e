#pragma once
// The runs of a sweep: every combination of what a JSON file lists.
//
//     {
//       "models": ["gpt-20b"], "machines": ["perlmutter"], "gpus": [32, 64],
//       "grids": ["all"], "overlaps": ["none", "all"], "batch": 64
//     }
//
// Optional: "orders" (["xyzd"]), "recomputes" (["full"]), "sequence" (the model's longest),
// "micro_batch" (the largest that fits). A grid is "XxYxZxDATA" or "all", every factoring of the
// number of GPUs; grids of other sizes than the number of GPUs are bad rows, not errors.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// One run, still as the words of the file: a wrong one becomes a bad row, not the end of the sweep.
struct SweepRun {
  std::string model, machine;
  std::int64_t gpus = 0;
  std::string grid, order, overlap, recompute;
  std::int64_t batch = 0;
  std::optional<std::int64_t> sequence, micro_batch;

  /// What tells it from all other runs, "gpt-20b/perlmutter/32/1x1x32x1/xyzd/all/full/64/2048/auto".
  std::string name() const;
};

/// In the order of the file, the last lists varying fastest. Throws ConfigError for a file that is
/// malformed.
std::vector<SweepRun> read_sweep(const std::filesystem::path& file);

/// Simulates a run. Throws what is wrong with it.
RunReport execute(const SweepRun& run);

}  // namespace fourfold::sim
