#pragma once
// A small GPT and a made-up machine for the tests of the analytical model.

#include "core/analytic/step_model.hpp"

namespace fourfold {

inline GptConfig small_gpt(std::int64_t layers = 7) {
  GptConfig model;
  model.name = "small";
  model.layers = layers;
  model.hidden = 96;
  model.heads = 12;
  model.sequence = 24;
  model.vocabulary = 288;
  model.ffn = 4 * model.hidden;
  return model;
}

inline TrainConfig small_training(const Grid& grid, std::int64_t micro_batches = 4) {
  TrainConfig train;
  train.grid = grid;
  train.micro_batch = 2;
  train.batch = micro_batches * train.micro_batch * grid.size(kBatchAxes);
  train.sequence = 12;
  return train;
}

/// Perlmutter as the authors' script has it (axonn-ai/Megatron-AxoNN, examples/comm_model.py).
inline BandwidthTable perlmutter_table() {
  BandwidthTable table;
  table.gpus_per_node = 4;
  table.inter_node = 80 * kGiB;
  table.in_node = {{1, 2, 76 * kGiB}, {1, 4, 225 * kGiB}, {2, 2, 76 * kGiB}};
  return table;
}

/// Nodes of 4 GPUs and 4 NICs; constants near those of Perlmutter.
inline AnalyticMachine small_machine() {
  AnalyticMachine machine;
  machine.gpu = read_gpu_spec(FOURFOLD_SOURCE_DIR "/platforms/gpus/a100-sxm4-40.json");
  machine.library =
      read_library_constants(FOURFOLD_SOURCE_DIR "/platforms/libraries/nccl-slingshot.json");
  machine.links = {
      .nic_bandwidth = 25e9, .port_bandwidth = 300e9, .gpus_per_node = 4, .nics_per_node = 4};
  machine.bandwidths = perlmutter_table();
  return machine;
}

}  // namespace fourfold
