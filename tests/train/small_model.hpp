#pragma once
// A GPT of two blocks whose sizes every grid of up to four ranks an axis divides, and how it is trained.

#include "core/models/gpt.hpp"

namespace fourfold::test {

inline GptConfig small_model(bool tied = true) {
  return {.name = "small",
          .description = "",
          .layers = 2,
          .hidden = 16,
          .heads = 4,
          .sequence = 8,
          .vocabulary = 64,
          .ffn = 64,
          .tied = tied};
}

inline TrainConfig small_training(const Grid& grid, DType dtype = DType::float32) {
  TrainConfig train;
  train.grid = grid;
  train.batch = 8;
  train.sequence = 8;
  train.dtype = dtype;
  return train;
}

}  // namespace fourfold::test
