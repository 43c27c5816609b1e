#pragma once
// The properties by which a SimGrid platform file describes a machine for training, read before SimGrid sees the file:
// SimGrid ends the process on much of what can be wrong with XML.
//
//     <platform version="4.1">
//       <zone id="perlmutter" routing="Floyd">
//         <prop id="gpus_per_node" value="4"/>
//         ...

#include <filesystem>
#include <string>
#include <vector>

#include "core/cost/gpu_mesh.hpp"
#include "core/cost/gpu_fleet.hpp"

namespace fourfold::sim {

struct PlatformProperties {
  std::string description;
  int nodes = 0;
  int gpus_per_node = 0;
  int nics_per_node = 0;
  std::vector<int> gpu_to_nic;  ///< for each GPU of a node its NIC in the node
  bool mesh = false;            ///< gpu_links: "mesh" or "switch"
  std::vector<GpuLink> links;   ///< gpu_links: "0-1:200GBps 0-2:100GBps ..."; else empty
  GpuFleet fleet;               ///< gpu_speed, gpu_speed_spread; of equal GPUs if not given
  std::string gpu, library;     ///< names of files in gpus/ and libraries/
};

/// Throws ConfigError with file and line where the file is not well-formed XML or not a SimGrid platform, where a
/// property is missing, unknown (the nearest name is suggested) or given twice, or where a value makes no sense.
PlatformProperties read_platform_properties(const std::filesystem::path& file);

}  // namespace fourfold::sim
