#pragma once
// What a GPT is, independent of how it is trained. Read from JSON: experiments/models/*.json, or the user's own file.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace fourfold {

struct GptConfig {
  std::string name;
  std::string description;
  std::int64_t layers = 0, hidden = 0, heads = 0;
  std::int64_t sequence = 0;    ///< longest sequence; also the number of position embeddings
  std::int64_t vocabulary = 0;
  std::int64_t ffn = 0;         ///< width of the feed-forward layer, usually 4 hidden
  bool tied = true;             ///< the output head shares the token embedding

  /// L (12 h^2 + 13 h) + (V + s) h + 2 h for ffn = 4 h, and V h more when untied.
  std::int64_t parameters() const;

  /// Hardware FLOPs of one step over `batch` sequences with full recomputation, Narayanan et al. 2021 (SC'21) Eq. 3:
  /// 96 B s L h^2 (1 + s/(6h) + V/(16 L h)). AxoNN's "% of peak" uses it (SC24, section VI.C).
  Flops formula_hardware_flops(std::int64_t batch) const;
  /// Without recomputation: 72 B s L h^2 (1 + s/(6h) + V/(12 L h)).
  Flops formula_model_flops(std::int64_t batch) const;
};

/// Strict: unknown, missing and senseless keys are ConfigErrors naming file and key.
GptConfig read_gpt_config(const std::filesystem::path& file);

/// Where the presets lie: $FOURFOLD_MODELS or the source or install tree.
std::filesystem::path models_directory();
/// Names of the presets, sorted by number of parameters.
std::vector<std::string> model_names();
/// A preset by name, or a file by path. ConfigError with the nearest name.
GptConfig find_gpt_config(const std::string& name_or_path);

}  // namespace fourfold
