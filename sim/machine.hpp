#pragma once
// A machine: a SimGrid platform file plus the properties that make it one for training (platforms/README.md).

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/cost/collective_model.hpp"
#include "core/cost/gpu_fleet.hpp"
#include "core/cost/gpu_spec.hpp"

namespace fourfold::sim {

/// Where the machines that are shipped lie: $FOURFOLD_PLATFORMS, the source tree, or share/fourfold/platforms beside
/// the program's bin/. ConfigError when none of these is a directory.
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
  std::vector<int> gpu_to_nic;  ///< for each GPU of a node its NIC in the node
  std::map<int, int> detours;   ///< of a GPU whose NIC has failed: the NIC that it uses instead, over the machine
  bool mesh = false;            ///< every pair of GPUs in a node has links of its own (NodeLinks)
  GpuMesh mesh_links;           ///< where these are of different widths (NodeLinks); else empty
  BytesPerSecond nic_bandwidth =
      0;  ///< of one NIC, per direction; 0 on a machine of one node with one NIC
  BytesPerSecond port_bandwidth =
      0;  ///< of one GPU's in-node port, per direction; 0 with one GPU a node
  GpuSpec gpu;
  GpuFleet fleet;
  LibraryConstants library;

  int nodes() const { return gpus / gpus_per_node; }
  /// Index of the NIC of a GPU, both counted over the whole machine.
  int nic_of_gpu(int gpu_index) const;
  /// SimGrid's names of a GPU's in-node port and of a NIC.
  std::string host_name_of_gpu(int gpu_index) const;
  std::string host_name_of_nic(int nic_index) const;
  NodeLinks node_links() const;
  /// A table of the constants and a diagram of a node, for the terminal.
  std::string summary() const;
};

/// Checks the file (well-formed, properties present, values sane) before SimGrid sees it, then loads it into the
/// process's SimGrid engine, of which there can be one. Throws ConfigError naming file, place and remedy.
Machine load_machine(const std::filesystem::path& file);

}  // namespace fourfold::sim
