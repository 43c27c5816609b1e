// Korthikanti et al. (arXiv 2205.05198), Fig. 1: the digits that Calculon's authors give, in GiB.

#include "core/analytic/memory_formulas.hpp"

#include <gtest/gtest.h>

#include "core/base/units.hpp"

namespace fourfold {
namespace {

MegatronSetup gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  MegatronSetup setup;
  setup.layers = layers;
  setup.hidden = hidden;
  setup.heads = heads;
  setup.sequence = 2048;
  setup.vocabulary = 51200;
  setup.ffn = 4 * hidden;
  setup.key_value_width = hidden;
  setup.tensor = 8;
  return setup;
}

double states_GiB(const MegatronSetup& setup) {
  return model_state_bytes_per_parameter(setup) * layer_parameters(setup) /
         static_cast<double>(setup.tensor * setup.pipeline) / kGiB;
}

double activations_GiB(const MegatronSetup& setup) {
  return first_stage_activation_bytes(setup, gpt_layer_activation_bytes(setup)) / kGiB;
}

// 18 x 12 x 96 x 12288^2 / 64 bytes; 96 layers of 2048 x 12288 x 23 bytes, times 1 + 7/24.
TEST(MemoryFormulas, Gpt175B) {
  MegatronSetup setup = gpt(96, 12288, 96);
  setup.pipeline = 8;
  setup.interleave = 3;
  EXPECT_DOUBLE_EQ(states_GiB(setup), 45.5625);
  EXPECT_DOUBLE_EQ(activations_GiB(setup), 66.84375);
  setup.sequence_parallel = true;
  setup.kept = KeptActivations::without_attention;
  EXPECT_DOUBLE_EQ(activations_GiB(setup), 12.3515625);
}

TEST(MemoryFormulas, Gpt22BAnd1T) {
  MegatronSetup small = gpt(48, 6144, 64);
  small.micro_batch = 4;
  EXPECT_DOUBLE_EQ(activations_GiB(small), 59.25);
  MegatronSetup large = gpt(128, 25600, 160);
  large.pipeline = 64;
  EXPECT_DOUBLE_EQ(states_GiB(large), 32.958984375);
  EXPECT_DOUBLE_EQ(activations_GiB(large), 131.25);
}

TEST(MemoryFormulas, FullRecomputationKeepsTheInputs) {
  MegatronSetup setup = gpt(48, 6144, 64);
  setup.kept = KeptActivations::only_layer_inputs;
  EXPECT_DOUBLE_EQ(gpt_layer_activation_bytes(setup), 2.0 * 2048 * 6144);
}

TEST(MemoryFormulas, DistributedOptimizer) {
  MegatronSetup setup = gpt(1, 64, 1);
  setup.data = 4;
  EXPECT_DOUBLE_EQ(model_state_bytes_per_parameter(setup), 18);
  setup.distributed_optimizer = true;
  EXPECT_DOUBLE_EQ(model_state_bytes_per_parameter(setup), 9);
}

// h 2, kv 1, f 3, V 10, one layer, one token, t 1: parameters 2 (4 + 2) + 3 x 6 = 30, table 20. States 18 (30 + 40),
// activations 24 + 4 + 18, dummies 60, head 6 x 10 + 40.
TEST(MemoryFormulas, LlamaByHand) {
  MegatronSetup setup;
  setup.layers = setup.heads = setup.sequence = 1;
  setup.hidden = 2;
  setup.key_value_width = 1;
  setup.ffn = 3;
  setup.gated = true;
  setup.vocabulary = 10;
  EXPECT_DOUBLE_EQ(layer_parameters(setup), 30);
  EXPECT_DOUBLE_EQ(llama_layer_activation_bytes(setup), 46);
  EXPECT_DOUBLE_EQ(llama_peak_bytes(setup), 18 * 70 + 46 + 60 + 100);
  // Two stages of a layer each: the last has one layer's activations and the head, the first two layers' worth.
  setup.layers = 2;
  setup.pipeline = 2;
  EXPECT_DOUBLE_EQ(llama_peak_bytes(setup), 18 * 50 + 60 + 46 + 100);
}

}  // namespace
}  // namespace fourfold
