#include "real/checkpoint/hugging_face.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "real/checkpoint/safetensors_writer.hpp"

namespace fourfold::real {
namespace {

/// Parts of our names and theirs, replaced in this order: no replacement contains a later part.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kParts = {{
    {"embedding.tokens.", "wte."},
    {"embedding.positions.", "wpe."},
    {"blocks.", "h."},
    {"norm1.", "ln_1."},
    {"norm2.", "ln_2."},
    {"attention.qkv.", "attn.c_attn."},
    {"attention.projection.", "attn.c_proj."},
    {"mlp.fc1.", "mlp.c_fc."},
    {"mlp.fc2.", "mlp.c_proj."},
    {"final_norm.", "ln_f."},
    {"head.", "lm_head."},
}};

/// Vectors are (columns) in PyTorch, (1, columns) with us.
Shape torch_shape(const Shape& shape) {
  return shape[0] == 1 ? Shape{shape[1]} : shape;
}

const SafetensorsFile::Entry& find_entry(const SafetensorsFile& file, const ParameterSpec& spec) {
  const std::string name = hugging_face_name(spec.name);
  const std::string prefixed = "transformer." + name;
  const SafetensorsFile::Entry& entry = file.at(file.has(prefixed) ? prefixed : name);
  const Shape expected = torch_shape(spec.shape);
  const bool is_vocabulary = name == "wte.weight" || name == "lm_head.weight";
  const bool fits = is_vocabulary ? entry.shape.size() == 2 && entry.shape[1] == expected[1] &&
                                        entry.shape[0] >= 1 && entry.shape[0] <= expected[0]
                                  : entry.shape == expected;
  if (fits) return entry;
  throw ConfigError(
      fmt::format("\"{}\": {} has shape {}, the model needs {}; choose the model that "
                  "the weights belong to",
                  file.path().string(), name, to_string(entry.shape), to_string(expected)));
}

/// This rank's shard, in local order. Rows behind the file's last one repeat it.
std::vector<double> shard_values(const SafetensorsFile::Entry& entry, const ParameterSpec& spec,
                                 const RankContext& context) {
  const std::int64_t columns = spec.shape[1];
  const std::int64_t last_row = (entry.elements() / columns - 1) * columns;
  std::vector<double> values;
  for (const ShardRun& run : shard_runs(spec.shape, spec.placement, context.grid, context.rank)) {
    const std::int64_t begin =
        run.global < entry.elements() ? run.global : last_row + run.global % columns;
    const std::vector<double> part = to_doubles(entry, begin, run.count);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

template <typename T>
void upload(RankContext& context, const std::vector<double>& values, const Tensor& destination) {
  const std::vector<T> typed(values.begin(), values.end());
  context.device.upload(Stream::compute, std::as_bytes(std::span(typed)), destination);
}

}  // namespace

std::string hugging_face_name(const std::string& parameter) {
  std::string name = parameter;
  for (const auto& [ours, theirs] : kParts) {
    const std::size_t found = name.find(ours);
    if (found != std::string::npos) name.replace(found, ours.size(), theirs);
  }
  return name;
}

void export_weights(const Checkpoint& checkpoint, const std::filesystem::path& file) {
  checkpoint.verify(0, 1);
  const Manifest& manifest = checkpoint.manifest();
  std::vector<SafetensorsWriter::Entry> entries;
  for (const StoredParameter& parameter : manifest.parameters) {
    entries.push_back(
        {hugging_face_name(parameter.name), manifest.dtype, torch_shape(parameter.shape)});
  }
  SafetensorsWriter writer(file, entries, {{"format", "pt"}});
  for (const StoredParameter& parameter : manifest.parameters) {
    const std::vector<ShardRun> everything = {{0, 0, element_count(parameter.shape)}};
    writer.write(checkpoint.read(parameter, everything)[0]);
  }
  writer.finish();
}

void import_weights(RankContext& context, const std::filesystem::path& path,
                    const ParameterStore& store) {
  const SafetensorsFile file(path);
  for (const ParameterState& state : parameter_states(store)) {
    const ParameterSpec& spec = state.parameter->spec;
    const auto& [master, first_moment, second_moment] = state.tensors;
    const std::vector<double> values = shard_values(find_entry(file, spec), spec, context);
    if (master.dtype == DType::float64)
      upload<double>(context, values, master);
    else
      upload<float>(context, values, master);
    launch(context, Fill{first_moment, 0.0});
    launch(context, Fill{second_moment, 0.0});
  }
  refresh_training_copies(context, store);
}

}  // namespace fourfold::real
