// The recorded training step of a GPT: FLOPs, memory and parameters against closed forms, equality over ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/program/recorder.hpp"
#include "core/schedule/train_step.hpp"

namespace fourfold {
namespace {

GptConfig tiny_gpt() {
  GptConfig model;
  model.name = "tiny";
  model.layers = 2;
  model.hidden = 32;
  model.heads = 4;
  model.sequence = 8;
  model.vocabulary = 64;
  model.ffn = 128;
  return model;
}

TrainConfig tiny_training(const Grid& grid) {
  TrainConfig train;
  train.grid = grid;
  train.batch = 16;
  train.sequence = 8;
  return train;
}

TEST(GptConfig, ParametersOfThePaperModels) {
  // L (12 h^2 + 13 h) + (V + s) h + 2 h; 80B: 42 (12 12288^2 + 13 12288) + 53248 12288 + 2 12288.
  EXPECT_EQ(find_gpt_config("gpt-80b").parameters(),
            42LL * (12LL * 12288 * 12288 + 13 * 12288) + 53248LL * 12288 + 2 * 12288);
  EXPECT_NEAR(static_cast<double>(find_gpt_config("gpt2").parameters()), 124.4e6, 0.1e6);
  for (const std::string& name : model_names()) EXPECT_NO_THROW(find_gpt_config(name)) << name;
}

TEST(GptProgram, FlopsAreThePublishedFormulas) {
  // Whole model on one rank, unfused attention (flash recomputes its scores): hardware FLOPs with full recomputation
  // are 96 B s L h^2 (1 + s/6h + V/16Lh), without 72 B s L h^2 (1 + s/6h + V/12Lh).
  const GptConfig model = tiny_gpt();
  TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
  train.attention = AttentionAlgorithm::unfused;
  EXPECT_DOUBLE_EQ(total_flops(record_train_step(model, train)), model.formula_hardware_flops(16));
  train.recompute = Recompute::none;
  EXPECT_DOUBLE_EQ(total_flops(record_train_step(model, train)), model.formula_model_flops(16));
}

TEST(GptProgram, FlopsAreSharedEvenlyExceptAttentionAlongY) {
  const GptConfig model = tiny_gpt();
  TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
  const Flops whole = total_flops(record_train_step(model, train));
  for (const Grid& grid : {Grid(4, 1, 1, 1), Grid(1, 1, 4, 1), Grid(1, 1, 1, 4), Grid(2, 1, 2, 2)}) {
    train.grid = grid;
    EXPECT_DOUBLE_EQ(total_flops(record_train_step(model, train)) * grid.world_size(), whole) << grid.to_string();
  }
  // Every rank along y computes all of its heads' attention: 2 + 2 + 5 products forward, recomputed, backward.
  train.grid = Grid(1, 2, 1, 1);
  const Flops attention = 2.0 * 9 * 16 * 8 * 8 * 32 * 2;  // 2 products B s s h L
  EXPECT_DOUBLE_EQ(total_flops(record_train_step(model, train)) * 2, whole + attention);
}

TEST(GptProgram, ResidentMemoryIs18BytesPerParameterAndShard) {
  // bf16 value 2, fp32 gradient 4, fp32 master and two moments 12.
  const GptConfig model = tiny_gpt();
  const StepProgram program = record_train_step(model, tiny_training(Grid(1, 1, 1, 1)));
  const auto bytes = [&](MemoryKind kind) { return program.resident_memory[static_cast<std::size_t>(kind)]; };
  EXPECT_EQ(bytes(MemoryKind::parameters), 2 * model.parameters());
  EXPECT_EQ(bytes(MemoryKind::gradients), 4 * model.parameters());
  EXPECT_EQ(bytes(MemoryKind::optimizer_state), 12 * model.parameters());

  // Sharded: matrices over x y z, vectors over x or y only.
  const StepProgram sharded = record_train_step(model, tiny_training(Grid(2, 2, 2, 1)));
  const std::int64_t positions = 8 * 32 / 4;                          // over y and z
  const std::int64_t matrices = (2 * 12 * 32 * 32 + 64 * 32) / 8;
  const std::int64_t vectors = 2 * (3 * 32 + 128) / 2 + (2 * (2 + 4) * 32 + 2 * 32) / 2;
  EXPECT_EQ(sharded.resident_memory[0], 2 * (matrices + positions + vectors));
}

TEST(GptProgram, KeptActivationsArePublishedBytesPerLayer) {
  // Flash attention keeps s b h (10 + 24/t) bytes per layer plus 4 b a s/t log-sum-exps under Megatron's 1D
  // parallelism (Korthikanti et al. 2022, without dropout masks): norm inputs 4, norm outputs 4, qkv 6/t,
  // attention output 2/t, feed-forward 8/t + 8/t, and here two fp32 moments per row and norm. The increment
  // from 1 to 2 layers of the peak leaves out what does not grow.
  GptConfig model = tiny_gpt();
  model.hidden = 64;
  model.ffn = 256;
  TrainConfig train = tiny_training(Grid(4, 1, 1, 1));
  train.recompute = Recompute::none;
  train.micro_batch = 16;
  const auto activations = [&](std::int64_t layers) {
    model.layers = layers;
    return record_train_step(model, train).peak_memory[static_cast<std::size_t>(MemoryKind::activations)];
  };
  const std::int64_t sbh = 8 * 16 * 64, t = 4;
  EXPECT_EQ(activations(3) - activations(2), sbh * (4 + 4 + (6 + 2 + 8 + 8) / t) + 4 * 16 * 4 * 8 / t + 2 * 2 * 4 * 8 * 16);
}

TEST(GptProgram, RecomputationKeepsOneInputPerLayer) {
  GptConfig model = tiny_gpt();
  TrainConfig train = tiny_training(Grid(1, 2, 1, 1));
  const auto activations = [&](std::int64_t layers) {
    model.layers = layers;
    return record_train_step(model, train).peak_memory[static_cast<std::size_t>(MemoryKind::activations)];
  };
  EXPECT_EQ(activations(5) - activations(4), 2 * 1 * 8 * 32 / 2);  // 2 s b h / y
}

TEST(GptProgram, EveryRankRunsTheSameProgram) {
  const GptConfig model = tiny_gpt();
  const TrainConfig train = tiny_training(Grid(2, 2, 2, 1));
  const std::string reference = to_string(record_train_step(model, train, 0, 0));
  for (int rank = 1; rank < 8; ++rank) EXPECT_EQ(to_string(record_train_step(model, train, 0, rank)), reference);
}

TEST(GptProgram, AllStorageOfTheStepIsGivenBack) {
  const StepProgram program = record_train_step(tiny_gpt(), tiny_training(Grid(2, 1, 2, 1)));
  std::int64_t live = 0;
  for (const Op& op : program.ops) {
    if (std::holds_alternative<AllocateOp>(op.action)) ++live;
    if (std::holds_alternative<FreeOp>(op.action)) --live;
  }
  EXPECT_EQ(live, 0);
}

TEST(GptProgram, TooLittleMemoryIsATypedError) {
  EXPECT_THROW(record_train_step(tiny_gpt(), tiny_training(Grid(1, 1, 1, 1)), 100000), OutOfMemory);
}

TEST(CheckDivisibility, NamesTheDimensionAndTheRemedy) {
  const auto error_of = [](const GptConfig& model, const TrainConfig& train) -> std::string {
    try {
      check_divisibility(model, train);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  GptConfig model = tiny_gpt();
  EXPECT_THAT(error_of(model, tiny_training(Grid(8, 1, 1, 1))),
              testing::HasSubstr("heads 4 is not divisible by grid.x 8; choose 1, 2, 4"));
  EXPECT_THAT(error_of(model, tiny_training(Grid(1, 3, 1, 1))), testing::HasSubstr("hidden 32"));
  EXPECT_THAT(error_of(model, tiny_training(Grid(1, 1, 1, 3))), testing::HasSubstr("batch 16"));
  model.vocabulary = 63;
  EXPECT_THAT(error_of(model, tiny_training(Grid(2, 1, 1, 1))), testing::HasSubstr("vocabulary 63"));
  model = tiny_gpt();
  TrainConfig train = tiny_training(Grid(1, 1, 1, 1));
  train.sequence = 9;
  EXPECT_THAT(error_of(model, train), testing::HasSubstr("sequence length 9 is outside 1 ... 8"));
  train.sequence = 8;
  train.micro_batch = 3;
  EXPECT_THAT(error_of(model, train), testing::HasSubstr("micro_batch 3"));
}

}  // namespace
}  // namespace fourfold
