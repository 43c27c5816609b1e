#pragma once

#include <filesystem>

#include "core/layers/parameter.hpp"
#include "real/checkpoint/manifest.hpp"

namespace fourfold::real {

/// Writes DIRECTORY/step-N, with N = state.step. Called by all ranks; when it returns on rank 0 the checkpoint is on
/// the disk. The folder must be reachable from all nodes. Throws Error, also where that checkpoint exists.
void save_checkpoint(RankContext& context, const GptConfig& model, const ParameterStore& store,
                     const RunState& state, const std::filesystem::path& directory);

}  // namespace fourfold::real
