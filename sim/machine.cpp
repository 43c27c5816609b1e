#include "sim/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "sim/engine/network.hpp"
#include "sim/platform_properties.hpp"

namespace fourfold::sim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> stems(const fs::path& directory, const std::string& extension) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// gpus/NAME.json or libraries/NAME.json, beside the platform file or among those shipped.
fs::path find_constants(const fs::path& platform, const std::string& folder,
                        const std::string& name) {
  const fs::path shipped = platforms_directory() / folder;
  for (const fs::path& directory : {platform.parent_path() / folder, shipped}) {
    const fs::path file = directory / (name + ".json");
    if (fs::is_regular_file(file)) return file;
  }
  throw ConfigError(fmt::format(
      "{}: {}", platform.string(),
      unknown_name_message(folder == "gpus" ? "gpu" : "library", name, stems(shipped, ".json"))));
}

void check_links(const Network& network) {
  for (const Link& link : network.links()) {
    if (!(link.bandwidth > 0) || !std::isfinite(link.bandwidth) || !(link.latency >= 0) ||
        !std::isfinite(link.latency)) {
      throw ConfigError(
          fmt::format("link \"{}\" has a bandwidth of {} B/s and a latency of {} s; "
                      "the one must be positive, the other not negative",
                      link.name, link.bandwidth, link.latency));
    }
  }
}

BytesPerSecond narrowest(const Network& network, const Path& path) {
  BytesPerSecond bandwidth = 0;
  for (const LinkId link : path.links) {
    const BytesPerSecond own = network.links()[static_cast<std::size_t>(link)].bandwidth;
    if (bandwidth == 0 || own < bandwidth) bandwidth = own;
  }
  return bandwidth;
}

/// Asks for a route to every GPU and every NIC, which finds missing hosts, and takes the bandwidths of the links.
void measure_links(const Network& network, Machine& machine) {
  for (int gpu = 1; gpu < machine.gpus; ++gpu) {
    const Path path = network.path(machine.host_name_of_gpu(0), machine.host_name_of_gpu(gpu));
    if (gpu < machine.gpus_per_node) machine.port_bandwidth = narrowest(network, path);
  }
  const int nics = machine.nodes() * machine.nics_per_node;
  for (int nic = 1; nic < nics; ++nic) {
    const Path path = network.path(machine.host_name_of_nic(0), machine.host_name_of_nic(nic));
    if (nic <= machine.nics_per_node) machine.nic_bandwidth = narrowest(network, path);
  }
}

/// Starts SimGrid. Its own messages may go on for pages about all names it knows; the first line says what is wrong.
void measure(Machine& machine) {
  try {
    const Network& network = Network::load(machine.file);
    check_links(network);
    measure_links(network, machine);
  } catch (const std::exception& error) {
    const std::string message = error.what();
    throw ConfigError(
        fmt::format("{}: {}", machine.file.string(), message.substr(0, message.find('\n'))));
  }
}

}  // namespace

fs::path platforms_directory() {
  std::error_code ignored;
  const char* chosen = std::getenv("FOURFOLD_PLATFORMS");
  if (chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen, ignored)) return chosen;
    throw ConfigError(
        fmt::format("FOURFOLD_PLATFORMS: \"{}\" is not a directory; unset or correct it", chosen));
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const std::array<fs::path, 2> places = {
      fs::path(FOURFOLD_PLATFORMS_DIRECTORY),
      program.parent_path().parent_path() / "share/fourfold/platforms"};
  for (const fs::path& place : places) {
    if (fs::is_directory(place, ignored)) return place;
  }
  throw ConfigError(
      fmt::format("found no machines in {} or {}; set FOURFOLD_PLATFORMS to their directory",
                  places[0].string(), places[1].string()));
}

std::vector<std::string> machine_names() {
  return stems(platforms_directory(), ".xml");
}

fs::path find_machine(const std::string& name_or_path) {
  if (fs::is_regular_file(name_or_path)) return name_or_path;
  const std::vector<std::string> names = machine_names();
  if (std::ranges::find(names, name_or_path) != names.end())
    return platforms_directory() / (name_or_path + ".xml");
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".xml")) {
    throw ConfigError(
        fmt::format("machine \"{}\": no such file; give a SimGrid platform file or one of: {}",
                    name_or_path, fmt::join(names, ", ")));
  }
  throw ConfigError(unknown_name_message("machine", name_or_path, names));
}

int Machine::nic_of_gpu(int gpu_index) const {
  const auto detour = detours.find(gpu_index);
  if (detour != detours.end()) return detour->second;
  return gpu_index / gpus_per_node * nics_per_node +
         gpu_to_nic[static_cast<std::size_t>(gpu_index % gpus_per_node)];
}

std::string Machine::host_name_of_gpu(int gpu_index) const {
  return fmt::format("gpu-{}", gpu_index);
}

std::string Machine::host_name_of_nic(int nic_index) const {
  return fmt::format("nic-{}", nic_index);
}

NodeLinks Machine::node_links() const {
  return {.nic_bandwidth = nic_bandwidth,
          .port_bandwidth = port_bandwidth,
          .gpus_per_node = gpus_per_node,
          .nics_per_node = nics_per_node,
          .mesh = mesh,
          .uneven = mesh_links};
}

Machine load_machine(const fs::path& file) {
  const PlatformProperties properties = read_platform_properties(file);
  Machine machine;
  machine.name = file.stem().string();
  machine.description = properties.description;
  machine.file = file;
  machine.gpus = properties.nodes * properties.gpus_per_node;
  machine.gpus_per_node = properties.gpus_per_node;
  machine.nics_per_node = properties.nics_per_node;
  machine.gpu_to_nic = properties.gpu_to_nic;
  machine.mesh = properties.mesh;
  machine.fleet = properties.fleet;
  machine.gpu = read_gpu_spec(find_constants(file, "gpus", properties.gpu));
  machine.library = read_library_constants(find_constants(file, "libraries", properties.library));
  if (!properties.links.empty()) {
    machine.mesh_links =
        GpuMesh(machine.gpus_per_node, properties.links, machine.library.detour_efficiency);
  }
  measure(machine);
  return machine;
}

}  // namespace fourfold::sim
