#include "real/checkpoint/manifest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/json_reader.hpp"
#include "core/base/names.hpp"
#include "core/schedule/setup_names.hpp"

namespace fourfold::real {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "fourfold checkpoint";
constexpr std::int64_t kVersion = 1;

Json axes_json(AxisSet axes) {
  Json names = Json::array();
  for (const Axis axis : kAllAxes) {
    if (axes.contains(axis)) names.push_back(name_of(axis));
  }
  return names;
}

AxisSet read_axes(JsonObject& json, const std::string& key) {
  AxisSet axes;
  for (const std::string& name : json.strings(key)) {
    std::vector<std::string> known;
    AxisSet found;
    for (const Axis axis : kAllAxes) {
      known.emplace_back(name_of(axis));
      if (name == name_of(axis)) found = axis;
    }
    if (found.empty()) json.fail(key, unknown_name_message("axis", name, known));
    axes = axes | found;
  }
  return axes;
}

Json parameters_json(const Manifest& manifest) {
  Json parameters = Json::array();
  for (const StoredParameter& parameter : manifest.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"shape", parameter.shape},
                          {"rows_over", axes_json(parameter.placement.rows)},
                          {"columns_over", axes_json(parameter.placement.columns)},
                          {"flat_over", axes_json(parameter.placement.flat)},
                          {"column_parts", parameter.placement.column_parts}});
  }
  return parameters;
}

Json files_json(const Manifest& manifest) {
  Json files = Json::array();
  for (const auto& [rank, file] : manifest.shards) {
    files.push_back({{"name", file.name},
                     {"rank", rank},
                     {"bytes", file.summary.bytes},
                     {"crc32", file.summary.crc32}});
  }
  return files;
}

StoredParameter read_parameter(JsonObject& json) {
  StoredParameter parameter;
  parameter.name = json.string("name");
  parameter.shape = json.integers("shape");
  parameter.placement.rows = read_axes(json, "rows_over");
  parameter.placement.columns = read_axes(json, "columns_over");
  parameter.placement.flat = read_axes(json, "flat_over");
  parameter.placement.column_parts = json.positive_integer("column_parts");
  json.finish();
  if (parameter.shape.size() != 2) json.fail("shape", "must have two sizes");
  return parameter;
}

RunState read_state(JsonObject json) {
  RunState state;
  state.step = json.integer("step");
  state.position = json.integer("position");
  state.seed = static_cast<std::uint64_t>(json.integer("seed"));
  state.windows = json.integer("windows");
  state.sequence = json.positive_integer("sequence");
  json.finish();
  return state;
}

void write_json(const std::filesystem::path& path, const Json& json) {
  const std::string text = json.dump(1) + "\n";
  DurableFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

void check_format(JsonObject& json) {
  if (json.string("format") != kFormat) json.fail("format", "is not a checkpoint of Fourfold");
  const std::int64_t version = json.integer("version");
  if (version == kVersion) return;
  json.fail("version", fmt::format("{} is unknown to this program, which reads version {}", version,
                                   kVersion));
}

}  // namespace

std::string shard_name(int rank) {
  return fmt::format("shard-{:05}.safetensors", rank);
}

void write_manifest(const std::filesystem::path& directory, const Manifest& manifest) {
  const RunState& state = manifest.state;
  write_json(directory / "manifest.json", {{"format", kFormat},
                                           {"version", kVersion},
                                           {"state",
                                            {{"step", state.step},
                                             {"position", state.position},
                                             {"seed", static_cast<std::int64_t>(state.seed)},
                                             {"windows", state.windows},
                                             {"sequence", state.sequence}}},
                                           {"grid", manifest.grid.to_string()},
                                           {"axis_order", name_of(manifest.grid.order())},
                                           {"dtype", name_of(manifest.dtype)},
                                           {"files", files_json(manifest)},
                                           {"parameters", parameters_json(manifest)}});
}

void write_model(const std::filesystem::path& directory, const GptConfig& model) {
  write_json(directory / "model.json", {{"name", model.name},
                                        {"description", model.description},
                                        {"layers", model.layers},
                                        {"hidden", model.hidden},
                                        {"heads", model.heads},
                                        {"sequence", model.sequence},
                                        {"vocabulary", model.vocabulary},
                                        {"ffn", model.ffn},
                                        {"tied_embeddings", model.tied}});
}

Manifest read_manifest(const std::filesystem::path& directory) {
  JsonObject json = read_json(directory / "manifest.json");
  check_format(json);
  Manifest manifest;
  manifest.state = read_state(json.object("state"));
  manifest.grid = Grid::parse(json.string("grid"), parse_axis_order(json.string("axis_order")));
  manifest.dtype = parse_dtype(json.string("dtype"));
  for (JsonObject& parameter : json.objects("parameters")) {
    manifest.parameters.push_back(read_parameter(parameter));
  }
  for (JsonObject& file : json.objects("files")) {
    const auto rank = static_cast<int>(file.integer("rank"));
    StoredFile& stored = manifest.shards[rank];
    stored.name = file.string("name");
    stored.summary.bytes = file.integer("bytes");
    stored.summary.crc32 = static_cast<std::uint32_t>(file.integer("crc32"));
    file.finish();
  }
  json.finish();
  return manifest;
}

GptConfig read_model(const std::filesystem::path& directory) {
  return read_gpt_config(directory / "model.json");
}

}  // namespace fourfold::real
