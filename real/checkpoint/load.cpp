#include "real/checkpoint/load.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {

void load_checkpoint(RankContext& context, const Checkpoint& checkpoint,
                     const ParameterStore& store) {
  const DType stored = checkpoint.manifest().dtype;
  if (stored != wide(store.dtype())) {
    throw ConfigError(
        fmt::format("checkpoint \"{}\" holds {} weights, a run with dtype {} needs {}; "
                    "choose another --dtype",
                    checkpoint.path().string(), name_of(stored), name_of(store.dtype()),
                    name_of(wide(store.dtype()))));
  }
  checkpoint.verify(context.rank, context.grid.world_size());
  for (const ParameterState& state : parameter_states(store)) {
    const ParameterSpec& spec = state.parameter->spec;
    const auto states =
        checkpoint.read(checkpoint.parameter(spec.name, spec.shape),
                        shard_runs(spec.shape, spec.placement, context.grid, context.rank));
    for (std::size_t i = 0; i < kStateCount; ++i) {
      context.device.upload(Stream::compute, states[i], state.tensors[i]);
    }
  }
  refresh_training_copies(context, store);
}

}  // namespace fourfold::real
