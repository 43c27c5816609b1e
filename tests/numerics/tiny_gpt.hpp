#pragma once
// The smallest GPTs that every grid of `ranks` ranks divides.

#include "core/schedule/train_config.hpp"

namespace fourfold::test {

/// Two layers (one for more than 11 ranks, to save time), `ranks` heads of dimension 4 (2 for many ranks), vocabulary at least 32.
inline GptConfig tiny_gpt(std::int64_t ranks) {
  GptConfig model;
  model.name = "tiny";
  model.layers = ranks <= 11 ? 2 : 1;
  model.heads = ranks < 4 ? 2 * ranks : ranks;
  model.hidden = (ranks < 10 ? 4 : 2) * model.heads;
  model.sequence = 5;
  model.vocabulary = (32 / ranks + 1) * ranks;
  model.ffn = 2 * model.hidden;
  return model;
}

/// One sequence per rank and step where the batch is split over all ranks; every schedule off;
/// fp64.
inline TrainConfig tiny_training(const Grid& grid) {
  TrainConfig train;
  train.grid = grid;
  train.batch = grid.world_size();
  train.sequence = 3;  // shorter than the model allows
  train.dtype = DType::float64;
  train.recompute = Recompute::none;
  train.overlap = OverlapPolicy::none();
  train.optimizer.learning_rate = 1e-3;
  return train;
}

}  // namespace fourfold::test
