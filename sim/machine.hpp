#pragma once
// A machine: a SimGrid platform file plus the properties that make it one for training (platforms/README.md).

#include <filesystem>
#include <string>
#include <vector>

#include "core/cost/collective_model.hpp"
#include "core/cost/gpu_spec.hpp"

namespace fourfold::sim {

/// Where a machine's files lie. Search order: an existing path, $FOURFOLD_PLATFORMS, the source or install tree.
std::filesystem::path platforms_directory();
/// Names of the machines shipped (file names without .xml), sorted.
std::vector<std::string> machine_names();
/// File of a machine given by name or path. ConfigError with the nearest name if there is none.
std::filesystem::path find_machine(const std::string& name_or_path);

/// What the XML's properties say, with the files they refer to.
struct Machine {
  std::string name, description;
  std::filesystem::path file;
  int gpus = 0;
  int gpus_per_node = 1;
  int nics_per_node = 1;
  BytesPerSecond nic_bandwidth = 0;   ///< of one NIC, per direction
  BytesPerSecond port_bandwidth = 0;  ///< of one GPU's in-node port, per direction
  GpuSpec gpu;
  LibraryConstants library;

  int nodes() const { return gpus / gpus_per_node; }
};

/// Checks the file (well-formed, properties present, values sane) before SimGrid sees it, then loads it into the
/// process's SimGrid engine, of which there can be one. Throws ConfigError naming file, place and remedy.
Machine load_machine(const std::filesystem::path& file);

}  // namespace fourfold::sim
