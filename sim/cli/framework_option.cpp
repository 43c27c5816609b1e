#include "sim/cli/framework_option.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold::sim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shipped_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// frameworks/NAME.json beside the machine's file or among those shipped.
FrameworkMemory find_framework(const Machine& machine, const std::string& name) {
  const fs::path shipped = platforms_directory() / "frameworks";
  for (const fs::path& folder : {machine.file.parent_path() / "frameworks", shipped}) {
    const fs::path file = folder / (name + ".json");
    if (fs::is_regular_file(file)) return read_framework_memory(file);
  }
  std::vector<std::string> known = shipped_names(shipped);
  known.insert(known.end(), {"auto", "none"});
  throw ConfigError(unknown_name_message("framework", name, known));
}

}  // namespace

void add_framework_option(boost::program_options::options_description& options) {
  options.add_options()(
      "framework-memory",
      boost::program_options::value<std::string>()->value_name("auto|none|NAME|FILE"),
      "memory that context, communicators, workspace and allocator take beside the tensors: auto "
      "(default) as usual on the GPU, none, or a file of platforms/frameworks or your own");
}

FrameworkMemory usual_framework(const Machine& machine) {
  if (machine.gpu.framework.empty()) return {};
  return find_framework(machine, machine.gpu.framework);
}

FrameworkMemory read_framework_option(const Arguments& arguments, const Machine& machine) {
  const std::string text = arguments.text("framework-memory", "auto");
  if (text == "auto") return usual_framework(machine);
  if (text == "none") return {};
  if (fs::is_regular_file(text)) return read_framework_memory(text);
  return find_framework(machine, text);
}

}  // namespace fourfold::sim
