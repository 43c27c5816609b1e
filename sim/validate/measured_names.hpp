#pragma once
// Where the shipped measurements lie, and what their GPUs and machines are called in platforms/.

#include <filesystem>
#include <map>
#include <string>

namespace fourfold::sim {

struct MeasuredNames {
  std::map<std::string, std::string> gpus, machines;
};

/// $FOURFOLD_DATA, or experiments/data of the source tree.
std::filesystem::path measurements_directory();

/// Reads names.json of that directory. Throws ConfigError.
MeasuredNames read_measured_names();

}  // namespace fourfold::sim
