#pragma once
// What a Profiler has measured, per step, with the keys of the simulator's report.

#include <filesystem>
#include <string>

#include "real/train/profiler.hpp"

namespace fourfold::real {

/// Kernels and collectives by time, for people.
std::string profile_table(const Profiler& profiler);

/// JSON with the keys step_time_s, tokens_per_s, time_per_gpu and kernels of `fourfold-sim simulate --json`. step_time_s
/// is the sum of all operations. Throws Error if the file cannot be written.
void write_profile(const Profiler& profiler, double tokens_per_step,
                   const std::filesystem::path& file);

}  // namespace fourfold::real
