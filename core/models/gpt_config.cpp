#include "core/models/gpt_config.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/json_reader.hpp"
#include "core/base/names.hpp"

namespace fourfold {

std::int64_t GptConfig::parameters() const {
  const std::int64_t attention = 4 * hidden * hidden + 4 * hidden;  // weights and biases of qkv and projection
  const std::int64_t mlp = 2 * hidden * ffn + ffn + hidden;
  const std::int64_t norms = 4 * hidden;
  const std::int64_t head = tied ? 0 : vocabulary * hidden;
  return layers * (attention + mlp + norms) + (vocabulary + sequence) * hidden + 2 * hidden + head;
}

Flops GptConfig::formula_hardware_flops(std::int64_t batch) const {
  const double h = static_cast<double>(hidden), s = static_cast<double>(sequence), l = static_cast<double>(layers);
  const double v = static_cast<double>(vocabulary);
  return 96.0 * static_cast<double>(batch) * s * l * h * h * (1.0 + s / (6.0 * h) + v / (16.0 * l * h));
}

Flops GptConfig::formula_model_flops(std::int64_t batch) const {
  const double h = static_cast<double>(hidden), s = static_cast<double>(sequence), l = static_cast<double>(layers);
  const double v = static_cast<double>(vocabulary);
  return 72.0 * static_cast<double>(batch) * s * l * h * h * (1.0 + s / (6.0 * h) + v / (12.0 * l * h));
}

GptConfig read_gpt_config(const std::filesystem::path& file) {
  JsonObject json = read_json(file);
  GptConfig config;
  config.name = json.string("name", file.stem().string());
  config.description = json.string("description", "");
  config.layers = json.positive_integer("layers");
  config.hidden = json.positive_integer("hidden");
  config.heads = json.positive_integer("heads");
  config.sequence = json.positive_integer("sequence");
  config.vocabulary = json.positive_integer("vocabulary");
  config.ffn = json.positive_integer("ffn", 4 * config.hidden);
  config.tied = json.boolean("tied_embeddings", true);
  json.finish();
  // Sizes beyond these overflow 64-bit element counts; no model comes near.
  constexpr std::int64_t kLargest = std::int64_t{1} << 24;
  for (const auto& [key, value] : {std::pair{"layers", config.layers}, {"hidden", config.hidden},
                                   {"heads", config.heads}, {"sequence", config.sequence},
                                   {"vocabulary", config.vocabulary}, {"ffn", config.ffn}}) {
    if (value > kLargest) json.fail(key, "is larger than 16777216, the largest supported size");
  }
  if (config.hidden % config.heads != 0) json.fail("heads", "must divide hidden");
  return config;
}

std::filesystem::path models_directory() {
  if (const char* directory = std::getenv("FOURFOLD_MODELS")) return directory;
  return FOURFOLD_MODELS_DIRECTORY;
}

std::vector<std::string> model_names() {
  const std::filesystem::path directory = models_directory();
  if (!std::filesystem::is_directory(directory)) {
    throw ConfigError("no directory of model presets at " + directory.string() + "; set FOURFOLD_MODELS");
  }
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".json") continue;
    found.emplace_back(read_gpt_config(entry.path()).parameters(), entry.path().stem().string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [parameters, name] : found) names.push_back(std::move(name));
  return names;
}

GptConfig find_gpt_config(const std::string& name_or_path) {
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  if (is_path) return read_gpt_config(name_or_path);
  const std::filesystem::path preset = models_directory() / (name_or_path + ".json");
  if (std::filesystem::is_regular_file(preset)) return read_gpt_config(preset);
  throw ConfigError(unknown_name_message("model", name_or_path, model_names()));
}

}  // namespace fourfold
