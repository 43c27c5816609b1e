#include "sim/platform_properties.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "sim/root_zone.hpp"

namespace fourfold::sim {
namespace {

/// More than any machine has, and small enough that products of two fit an int.
constexpr int kLargestCount = 30000;
constexpr int kMostNodes = 1000000;

const std::vector<std::string> kKnown = {"description",   "nodes",      "gpus_per_node",
                                         "nics_per_node", "gpu_to_nic", "gpu_links",
                                         "gpu",           "library",    "gpu_speed",
                                         "gpu_speed_spread"};

class Properties {
 public:
  explicit Properties(const std::filesystem::path& file)
      : file_(file.string()), properties_(read_root_zone(file)) {
    for (auto property = properties_.begin(); property != properties_.end(); ++property) {
      if (std::ranges::find(kKnown, property->name) == kKnown.end()) {
        throw ConfigError(fmt::format("{}, line {}: {}", file_, property->line,
                                      unknown_name_message("property", property->name, kKnown)));
      }
      if (std::any_of(properties_.begin(), property, [&](const RootProperty& earlier) {
            return earlier.name == property->name;
          })) {
        fail(*property, "given twice; remove one");
      }
    }
  }

  const RootProperty& get(const std::string& name) const {
    const auto found = std::ranges::find(properties_, name, &RootProperty::name);
    if (found == properties_.end()) {
      throw ConfigError(
          fmt::format("{}: property \"{}\" is missing; add <prop id=\"{}\" value=\"...\"/> to the "
                      "outermost zone "
                      "(platforms/README.md says what it means)",
                      file_, name, name));
    }
    if (found->value.empty()) fail(*found, "must not be empty");
    return *found;
  }

  int count(const std::string& name, int largest) const {
    const RootProperty& property = get(name);
    return integer(property, property.value, 1, largest);
  }

  /// From `smallest` to 1; `otherwise` if it is not there.
  double fraction(const std::string& name, double smallest, double otherwise) const {
    if (std::ranges::find(properties_, name, &RootProperty::name) == properties_.end()) {
      return otherwise;
    }
    const RootProperty& property = get(name);
    double value = 0;
    const char* end = property.value.data() + property.value.size();
    const auto [stopped, error] = std::from_chars(property.value.data(), end, value);
    if (error != std::errc() || stopped != end || !(value >= smallest && value <= 1)) {
      fail(property, fmt::format("is not a number from {} to 1", smallest));
    }
    return value;
  }

  std::vector<int> integers(const std::string& name, int smallest, int largest) const {
    const RootProperty& property = get(name);
    std::istringstream words(property.value);
    std::vector<int> values;
    for (std::string word; words >> word;)
      values.push_back(integer(property, word, smallest, largest));
    return values;
  }

  [[noreturn]] void fail(const RootProperty& property, const std::string& problem) const {
    throw ConfigError(fmt::format("{}, line {}: property \"{}\" = \"{}\": {}", file_, property.line,
                                  property.name, property.value, problem));
  }

 private:
  int integer(const RootProperty& property, const std::string& word, int smallest,
              int largest) const {
    int value = 0;
    const char* end = word.data() + word.size();
    const auto [stopped, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stopped != end || value < smallest || value > largest) {
      fail(property,
           fmt::format("\"{}\" is not a whole number from {} to {}", word, smallest, largest));
    }
    return value;
  }

  std::string file_;
  std::vector<RootProperty> properties_;
};

/// "0-1:200GBps".
GpuLink read_link(const Properties& properties, const RootProperty& property,
                  const std::string& word, int gpus_per_node) {
  GpuLink link;
  double bandwidth_GBps = 0;
  int read = 0;
  const int found = std::sscanf(word.c_str(), "%2d-%2d:%lfGBps%n", &link.first, &link.second,
                                &bandwidth_GBps, &read);
  link.bandwidth = bandwidth_GBps * kGiga;
  const auto is_gpu = [&](int gpu) { return gpu >= 0 && gpu < gpus_per_node; };
  if (found != 3 || read != static_cast<int>(word.size()) || !is_gpu(link.first) ||
      !is_gpu(link.second) || link.first == link.second || !(bandwidth_GBps > 0) ||
      !std::isfinite(bandwidth_GBps)) {
    properties.fail(property, fmt::format("\"{}\" is not a link between two of the {} GPUs of a "
                                          "node, such as \"0-1:200GBps\"",
                                          word, gpus_per_node));
  }
  return link;
}

/// Of an uneven mesh.
std::vector<GpuLink> read_links(const Properties& properties, int gpus_per_node) {
  const RootProperty& property = properties.get("gpu_links");
  if (property.value == "mesh" || property.value == "switch") return {};
  if (property.value.find(':') == std::string::npos) {
    properties.fail(
        property,
        "must be \"mesh\" (equal links between each pair of GPUs), \"switch\", or a list "
        "of links such as \"0-1:200GBps 0-2:100GBps\"");
  }
  if (gpus_per_node > GpuMesh::kMostGpus) {
    properties.fail(property, fmt::format("a list of links is possible for nodes of up to {} GPUs",
                                          GpuMesh::kMostGpus));
  }
  std::vector<GpuLink> links;
  std::istringstream words(property.value);
  for (std::string word; words >> word;) {
    const GpuLink link = read_link(properties, property, word, gpus_per_node);
    if (std::ranges::any_of(links, [&](const GpuLink& other) {
          return std::minmax(link.first, link.second) == std::minmax(other.first, other.second);
        })) {
      properties.fail(property, fmt::format("GPUs {} and {} are joined twice; add their links up",
                                            link.first, link.second));
    }
    links.push_back(link);
  }
  return links;
}

}  // namespace

PlatformProperties read_platform_properties(const std::filesystem::path& file) {
  const Properties properties(file);
  PlatformProperties result;
  result.description = properties.get("description").value;
  result.nodes = properties.count("nodes", kMostNodes);
  result.gpus_per_node = properties.count("gpus_per_node", kLargestCount);
  result.nics_per_node = properties.count("nics_per_node", kLargestCount);
  for (const char* name : {"gpus_per_node", "nics_per_node"}) {
    if (properties.count(name, kLargestCount) > kMostNodes * 100 / result.nodes) {
      properties.fail(properties.get(name),
                      fmt::format("{} nodes of so many are too many", result.nodes));
    }
  }
  result.gpu_to_nic = properties.integers("gpu_to_nic", 0, result.nics_per_node - 1);
  if (static_cast<int>(result.gpu_to_nic.size()) != result.gpus_per_node) {
    properties.fail(
        properties.get("gpu_to_nic"),
        fmt::format("needs one NIC for each of the {} GPUs of a node", result.gpus_per_node));
  }
  result.links = read_links(properties, result.gpus_per_node);
  result.mesh = properties.get("gpu_links").value == "mesh";
  constexpr double kSlowest = 0.01;
  result.fleet.speed = properties.fraction("gpu_speed", kSlowest, 1);
  result.fleet.spread = properties.fraction("gpu_speed_spread", 0, 0);
  result.gpu = properties.get("gpu").value;
  result.library = properties.get("library").value;
  return result;
}

}  // namespace fourfold::sim
