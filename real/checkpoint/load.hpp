#pragma once

#include "core/layers/parameter.hpp"
#include "real/checkpoint/checkpoint.hpp"

namespace fourfold::real {

/// Fills this rank's shards from a checkpoint of any grid. Called by all ranks, which share the work of checking the
/// files. Throws ConfigError with the reason if the checkpoint is damaged or belongs to another model or type.
void load_checkpoint(RankContext& context, const Checkpoint& checkpoint,
                     const ParameterStore& store);

}  // namespace fourfold::real
