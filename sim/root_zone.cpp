#include "sim/root_zone.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>

#include <expat.h>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold::sim {
namespace {

using Parser = std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)>;

/// Larger numbers of hosts fill the memory before SimGrid has built them.
constexpr std::int64_t kLargestRadical = 10'000'000;

/// SimGrid ends the process on any other.
const std::vector<std::string> kRoutings = {"Full", "Floyd",   "Dijkstra", "DijkstraCache",
                                            "None", "Cluster", "Vivaldi",  "Wifi"};

/// What the parser has seen so far.
struct Reader {
  XML_Parser parser = nullptr;
  std::string problem;  ///< first thing that SimGrid would not survive, with its line
  int depth = 0;
  std::string root;
  int zones = 0;
  std::vector<RootProperty> properties;
};

std::string attribute(const XML_Char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (name == attributes[0]) return attributes[1];
  }
  return "";
}

/// The largest number in a radical such as "0-511,1024".
std::int64_t largest_number(const std::string& radical) {
  std::int64_t largest = 0, number = 0;
  for (const char c : radical) {
    const bool digit = c >= '0' && c <= '9';
    number = digit ? std::min(number * 10 + (c - '0'), kLargestRadical + 1) : 0;
    largest = std::max(largest, number);
  }
  return largest;
}

/// What SimGrid would not survive in this element, or nothing.
std::string find_problem(std::string_view element, const XML_Char** attributes) {
  if (element == "zone") {
    const std::string routing = attribute(attributes, "routing");
    if (std::ranges::find(kRoutings, routing) == kRoutings.end()) {
      return unknown_name_message("routing", routing, kRoutings);
    }
  }
  const std::string radical = attribute(attributes, "radical");
  if (largest_number(radical) > kLargestRadical) {
    return fmt::format("radical \"{}\" asks for more than {} hosts", radical, kLargestRadical);
  }
  return "";
}

void start_element(void* data, const XML_Char* element, const XML_Char** attributes) {
  Reader& reader = *static_cast<Reader*>(data);
  const std::string_view name = element;
  const auto line = static_cast<int>(XML_GetCurrentLineNumber(reader.parser));
  if (const std::string problem = find_problem(name, attributes);
      reader.problem.empty() && !problem.empty()) {
    reader.problem = fmt::format("line {}: {}", line, problem);
  }
  if (reader.depth == 0) reader.root = name;
  if (reader.depth == 1 && name == "zone") ++reader.zones;
  if (reader.depth == 2 && name == "prop") {
    reader.properties.push_back(
        {attribute(attributes, "id"), attribute(attributes, "value"), line});
  }
  ++reader.depth;
}

void end_element(void* data, const XML_Char*) {
  --static_cast<Reader*>(data)->depth;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!std::filesystem::is_regular_file(file) || !stream || !(text << stream.rdbuf())) {
    throw ConfigError(
        fmt::format("cannot read \"{}\"; check that the file exists, is not empty and is readable",
                    file.string()));
  }
  if (text.view().size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw ConfigError(
        fmt::format("{}: larger than 2 GiB; describe hosts by <cluster>", file.string()));
  }
  return text.str();
}

}  // namespace

std::vector<RootProperty> read_root_zone(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  const Parser parser(XML_ParserCreate(nullptr), &XML_ParserFree);
  Reader reader;
  reader.parser = parser.get();
  XML_SetUserData(parser.get(), &reader);
  XML_SetElementHandler(parser.get(), start_element, end_element);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) !=
      XML_STATUS_OK) {
    const XML_Error error = XML_GetErrorCode(parser.get());
    const bool truncated = error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN;
    throw ConfigError(fmt::format(
        "{}: malformed XML at line {}, column {}: {}{}", file.string(),
        XML_GetCurrentLineNumber(parser.get()), XML_GetCurrentColumnNumber(parser.get()) + 1,
        XML_ErrorString(error), truncated ? "; is the file truncated?" : ""));
  }
  if (reader.root != "platform" || reader.zones != 1) {
    throw ConfigError(
        fmt::format("{}: not a SimGrid platform; it must have one <zone> in <platform "
                    "version=\"4.1\">, not {} in <{}>",
                    file.string(), reader.zones, reader.root));
  }
  if (!reader.problem.empty())
    throw ConfigError(fmt::format("{}, {}", file.string(), reader.problem));
  return reader.properties;
}

}  // namespace fourfold::sim
