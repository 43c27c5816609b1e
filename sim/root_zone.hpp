#pragma once
// The first lines of a SimGrid platform file, from a parser that knows where it is: expat.

#include <filesystem>
#include <string>
#include <vector>

namespace fourfold::sim {

/// A <prop> of the outermost zone.
struct RootProperty {
  std::string name, value;
  int line = 0;
};

/// Properties of the outermost zone in the order of the file. The whole file is checked to be well-formed XML whose
/// root is <platform> with a zone in it, and for mistakes on which SimGrid would end the process or fill the memory; errors
/// are ConfigErrors with file and line.
std::vector<RootProperty> read_root_zone(const std::filesystem::path& file);

}  // namespace fourfold::sim
