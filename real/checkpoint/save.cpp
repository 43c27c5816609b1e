#include "real/checkpoint/save.hpp"

#include <fmt/format.h>

#include "real/checkpoint/host_sum.hpp"
#include "real/checkpoint/ownership.hpp"
#include "real/checkpoint/parameter_state.hpp"
#include "real/checkpoint/safetensors_writer.hpp"
#include "real/checkpoint/staging.hpp"

namespace fourfold::real {
namespace {

std::vector<ParameterState> owned_states(const RankContext& context, const ParameterStore& store) {
  std::vector<ParameterState> states = parameter_states(store);
  std::erase_if(states, [&](const ParameterState& state) {
    return !owns(state.parameter->spec.placement, context.grid, context.rank);
  });
  return states;
}

FileSummary write_shard(RankContext& context, const std::vector<ParameterState>& states,
                        const std::filesystem::path& path) {
  std::vector<SafetensorsWriter::Entry> entries;
  for (const ParameterState& state : states) {
    for (std::size_t i = 0; i < kStateCount; ++i) {
      const Tensor& tensor = state.tensors[i];
      entries.push_back({fmt::format("{}.{}", kStateNames[i], state.parameter->spec.name),
                         tensor.dtype, tensor.shape});
    }
  }
  SafetensorsWriter writer(path, entries, {{"rank", std::to_string(context.rank)}});
  for (const ParameterState& state : states) {
    for (const Tensor& tensor : state.tensors) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.bytes()));
      context.device.download(Stream::compute, tensor, bytes);
      writer.write(bytes);
    }
  }
  return writer.finish();
}

/// Tells every rank what all ranks have written; ranks without a file contribute nothing. Both numbers are exact in a
/// double.
std::map<int, StoredFile> gather_files(RankContext& context, const FileSummary& own) {
  const auto world = static_cast<std::size_t>(context.grid.world_size());
  const auto rank = static_cast<std::size_t>(context.rank);
  std::vector<double> numbers(2 * world);
  numbers[2 * rank] = static_cast<double>(own.bytes);
  numbers[2 * rank + 1] = own.crc32;
  numbers = sum_over_ranks(context, std::move(numbers));
  std::map<int, StoredFile> files;
  for (std::size_t i = 0; i < world; ++i) {
    const FileSummary summary{static_cast<Bytes>(numbers[2 * i]),
                              static_cast<std::uint32_t>(numbers[2 * i + 1])};
    const auto writer = static_cast<int>(i);
    if (summary.bytes > 0) files[writer] = {shard_name(writer), summary};
  }
  return files;
}

Manifest manifest_of(const RankContext& context, const ParameterStore& store, const RunState& state,
                     std::map<int, StoredFile> files) {
  Manifest manifest{state, context.grid, wide(store.dtype()), {}, std::move(files)};
  for (const auto& parameter : store.parameters()) {
    const ParameterSpec& spec = parameter->spec;
    manifest.parameters.push_back({spec.name, spec.shape, spec.placement});
  }
  return manifest;
}

}  // namespace

void save_checkpoint(RankContext& context, const GptConfig& model, const ParameterStore& store,
                     const RunState& state, const std::filesystem::path& directory) {
  const bool is_first = context.rank == 0;
  const std::filesystem::path staging = staging_path(directory, state.step);
  if (is_first) create_staging(directory, state.step);
  sum_over_ranks(context, {0.0});  // nobody writes before the folder is there

  const std::vector<ParameterState> states = owned_states(context, store);
  FileSummary own;
  if (!states.empty()) own = write_shard(context, states, staging / shard_name(context.rank));
  const std::map<int, StoredFile> files = gather_files(context, own);

  if (!is_first) return;
  write_model(staging, model);
  write_manifest(staging, manifest_of(context, store, state, files));
  publish_staging(directory, state.step);
}

}  // namespace fourfold::real
