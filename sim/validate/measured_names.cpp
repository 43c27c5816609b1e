#include "sim/validate/measured_names.hpp"

#include <cstdlib>

#include "core/base/json_reader.hpp"

namespace fourfold::sim {
namespace {

std::map<std::string, std::string> read_names(JsonObject file) {
  std::map<std::string, std::string> names;
  for (const std::string& key : file.keys()) names[key] = file.string(key);
  file.finish();
  return names;
}

}  // namespace

std::filesystem::path measurements_directory() {
  const char* chosen = std::getenv("FOURFOLD_DATA");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return FOURFOLD_DATA_DIRECTORY;
}

MeasuredNames read_measured_names() {
  JsonObject file = read_json(measurements_directory() / "names.json");
  MeasuredNames names{.gpus = read_names(file.object("gpus")),
                      .machines = read_names(file.object("machines"))};
  file.finish();
  return names;
}

}  // namespace fourfold::sim
