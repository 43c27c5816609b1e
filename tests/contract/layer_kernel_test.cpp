// Attention, LayerNorm, cross-entropy and optimizer kernels against numbers computed by hand.

#include <cmath>

#include <gtest/gtest.h>

#include "core/backend/ops.hpp"
#include "tests/contract/backends.hpp"

namespace fourfold::test {
namespace {

class LayerKernelContract : public ContractTest {};

TEST_P(LayerKernelContract, CausalAttention) {
  run([&](RankContext& context) {
    // One sequence of 2, one head of dimension 4; scale 1/2. Row 0 sees itself only. Row 1: q.k_0 = 2 log 3, q.k_1 = 0,
    // so scores log 3 and 0, probabilities 3/4 and 1/4.
    const double q = 2 * std::log(3.0);
    const Tensor qkv =
        tensor(context, {2, 12}, {7, 7, 7, 7, 1, 0, 0, 0, 4, 8, 0, 0,    // q_0, k_0, v_0
                                  q, 0, 0, 0, 0, 1, 0, 0, 8, 0, 4, 0});  // q_1, k_1, v_1
    const std::vector<double> expected = {4, 8, 0, 0, 5, 6, 1, 0};       // row 1: 3/4 v_0 + 1/4 v_1
    const Tensor output = empty(context, {2, 4});
    const Tensor log_sum_exp = empty(context, {1, 1, 2});
    launch(context,
           AttentionForward{qkv, output, log_sum_exp, 1, 4, 2, AttentionAlgorithm::flash, {}});
    expect_values(context, output, expected);
    expect_values(context, log_sum_exp, {3.5, std::log(4.0)});  // row 0: 7/2; row 1: log(3 + 1)
    const Tensor probabilities = empty(context, {1, 1, 2, 2});
    launch(context,
           AttentionForward{qkv, output, probabilities, 1, 4, 2, AttentionAlgorithm::unfused, {}});
    expect_values(context, output, expected);
    expect_values(context, probabilities, {1, 0, 0.75, 0.25});
  });
}

TEST_P(LayerKernelContract, CausalAttentionBackward) {
  run([&](RankContext& context) {
    // As above with do_0 = 0, do_1 = (1, 0, 0, 0): dp = (v_0, v_1) . do_1 = (4, 8), sum p dp = 3 + 2 = 5,
    // ds = (3/4 (4 - 5), 1/4 (8 - 5)) = (-3/4, 3/4); dv_0 = 3/4 do_1, dv_1 = 1/4 do_1;
    // dq_1 = 1/2 (-3/4 k_0 + 3/4 k_1), dk_0 = 1/2 (-3/4) q_1, dk_1 = 1/2 (3/4) q_1.
    const double q = 2 * std::log(3.0);
    const Tensor qkv = tensor(
        context, {2, 12}, {7, 7, 7, 7, 1, 0, 0, 0, 4, 8, 0, 0, q, 0, 0, 0, 0, 1, 0, 0, 8, 0, 4, 0});
    const Tensor output = empty(context, {2, 4});
    const Tensor d_output = tensor(context, {2, 4}, {0, 0, 0, 0, 1, 0, 0, 0});
    for (AttentionAlgorithm algorithm : {AttentionAlgorithm::flash, AttentionAlgorithm::unfused}) {
      const Tensor saved = empty(
          context, algorithm == AttentionAlgorithm::flash ? Shape{1, 1, 2} : Shape{1, 1, 2, 2});
      const Tensor d_qkv = empty(context, {2, 12});
      launch(context, AttentionForward{qkv, output, saved, 1, 4, 2, algorithm, {}});
      launch(context,
             AttentionBackward{d_output, qkv, output, saved, d_qkv, 1, 4, 2, algorithm, {}});
      expect_values(context, d_qkv, {0,      0,     0, 0, -0.375 * q, 0, 0, 0, 0.75, 0, 0, 0,  //
                                     -0.375, 0.375, 0, 0, 0.375 * q,  0, 0, 0, 0.25, 0, 0, 0});
    }
  });
}

TEST_P(LayerKernelContract, AttentionHeadsAndSequencesAreIndependent) {
  run([&](RankContext& context) {
    // Two sequences of 1, two heads of dimension 1: every row sees itself, so the output is v.
    const Tensor qkv =
        tensor(context, {2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});  // rows: q q k k v v
    const Tensor output = empty(context, {2, 2});
    launch(context,
           AttentionForward{
               qkv, output, empty(context, {2, 2, 1}), 2, 1, 1, AttentionAlgorithm::flash, {}});
    expect_values(context, output, {5, 6, 11, 12});
  });
}

TEST_P(LayerKernelContract, LayerNormOverSplitColumns) {
  run([&](RankContext& context) {
    // Two of four columns, 1 and 3; the others, 5 and 7, are on another rank: mean 16/4 = 4, variance 84/4 - 16 = 5.
    const Tensor input = tensor(context, {1, 2}, {1, 3});
    const Tensor local = empty(context, {1, 2});
    launch(context, RowMoments{input, local});
    expect_values(context, local, {4, 10});
    const Tensor moments = tensor(context, {1, 2}, {16, 84});
    const Tensor gain = tensor(context, {2}, {2, 10});
    const Tensor bias = tensor(context, {2}, {0.5, 0});
    const Tensor output = empty(context, {1, 2});
    launch(context, LayerNormForward{input, moments, gain, bias, output, 4, 0.0});
    const double r = 1 / std::sqrt(5.0);
    expect_values(context, output, {-3 * r * 2 + 0.5, -1 * r * 10});
    launch(context,
           LayerNormForward{input, moments, gain, bias, output, 4, 4.0});  // deviation sqrt(5 + 4)
    expect_values(context, output, {-1.5, -10.0 / 3});
  });
}

TEST_P(LayerKernelContract, LayerNormBackward) {
  run([&](RankContext& context) {
    // As above with epsilon 4: normalised (-1, -1/3). dy gain = (2, 30): row sums 32 and -2 - 10 = -12.
    const Tensor input = tensor(context, {1, 2}, {1, 3});
    const Tensor moments = tensor(context, {1, 2}, {16, 84});
    const Tensor gain = tensor(context, {2}, {2, 10});
    const Tensor d_output = tensor(context, {1, 2}, {1, 3});
    const Tensor row_sums = empty(context, {1, 2});
    const Tensor d_gain = tensor(context, {2}, {100, 100});
    const Tensor d_bias = tensor(context, {2}, {100, 100});
    launch(context,
           LayerNormBackwardSums{d_output, input, moments, gain, row_sums, d_gain, d_bias, 4, 4.0});
    expect_values(context, row_sums, {32, -12});
    expect_values(context, d_gain, {99, 99});  // 100 - 1, 100 - 3/3
    expect_values(context, d_bias, {101, 103});
    // Row sums over all ranks 40 and -24: (dy gain - 40/4 - normalised (-24/4)) / 3 + residual
    // = (2 - 10 - 6) / 3 and (30 - 10 - 2) / 3.
    const Tensor all_sums = tensor(context, {1, 2}, {40, -24});
    const Tensor d_input = empty(context, {1, 2});
    launch(context,
           LayerNormBackward{d_output, input, moments, gain, all_sums, {}, d_input, 4, 4.0});
    expect_values(context, d_input, {-14.0 / 3, 6});
    const Tensor residual = tensor(context, {1, 2}, {1, 2});
    launch(context,
           LayerNormBackward{d_output, input, moments, gain, all_sums, residual, d_input, 4, 4.0});
    expect_values(context, d_input, {-14.0 / 3 + 1, 8});
  });
}

TEST_P(LayerKernelContract, CrossEntropyOverSplitVocabulary) {
  run([&](RankContext& context) {
    // Columns 2 and 3 of the vocabulary. Row 0: target 3, here; row 1: target 0, elsewhere.
    const Tensor logits = tensor(context, {2, 2}, {std::log(2.0), std::log(4.0), 0, -1});
    const Tensor targets = tensor(context, {2}, {3, 0}, DType::int32);
    const Tensor maximum = empty(context, {2});
    launch(context, RowMax{logits, maximum});
    expect_values(context, maximum, {std::log(4.0), 0});
    const Tensor sums = empty(context, {2, 2});
    launch(context, SoftmaxSums{logits, maximum, targets, sums, 2});
    expect_values(context, sums, {1.5, 0, 1 + std::exp(-1.0), 0});  // 2/4 + 4/4

    // With the other rank's part: row 0 sums to 2, row 1 to 4 and its target lies log 2 below the maximum.
    const Tensor all_sums = tensor(context, {2, 2}, {2, 0, 4, -std::log(2.0)});
    const Tensor loss = tensor(context, {1}, {1});
    launch(context, CrossEntropyLoss{all_sums, loss, 0.5});
    expect_values(context, loss, {1 + 0.5 * (std::log(2.0) + std::log(4.0) + std::log(2.0))});
    const Tensor d_logits = empty(context, {2, 2});
    launch(context, CrossEntropyBackward{logits, maximum, all_sums, targets, d_logits, 2, 0.5});
    expect_values(context, d_logits,
                  {0.5 * 0.25, 0.5 * (0.5 - 1), 0.5 * 0.25, 0.5 * std::exp(-1.0) / 4});
  });
}

TEST_P(LayerKernelContract, SumOfSquaresIsWeighted) {
  run([&](RankContext& context) {
    const Tensor sum = tensor(context, {1}, {1});
    launch(context, SumOfSquares{tensor(context, {3}, {1, 2, -3}), sum, 0.5});
    expect_values(context, sum, {8});  // 1 + (1 + 4 + 9) / 2
  });
}

TEST_P(LayerKernelContract, AdamW) {
  run([&](RankContext& context) {
    // Step 1 with zero moments: m / (1 - beta1) = g, v / (1 - beta2) = g^2, so the update is the sign of g.
    const Tensor gradient = tensor(context, {2}, {0.5, -2});
    const Tensor master = tensor(context, {2}, {1, 1});
    const Tensor m = tensor(context, {2}, {0, 0});
    const Tensor v = tensor(context, {2}, {0, 0});
    AdamW step{.gradient = gradient,
               .squared_norm = {},
               .master = master,
               .first_moment = m,
               .second_moment = v,
               .parameter = master,
               .learning_rate = 0.1,
               .beta1 = 0.9,
               .beta2 = 0.99,
               .epsilon = 0.0,
               .weight_decay = 0.5,
               .clip_norm = 0.0,
               .step = 1};
    launch(context, step);
    expect_values(context, master, {1 - 0.1 * (1 + 0.5), 1 - 0.1 * (-1 + 0.5)});
    expect_values(context, m, {0.05, -0.2});
    expect_values(context, v, {0.0025, 0.04});

    // Step 2, clipped: the norm is 5, the limit 1, so g = (0.1, -0.4).
    // m = 0.9 m + 0.1 g = (0.055, -0.22), v = 0.99 v + 0.01 g^2 = (0.002575, 0.0412).
    step.squared_norm = tensor(context, {1}, {25});
    step.clip_norm = 1.0;
    step.weight_decay = 0.0;
    step.step = 2;
    launch(context, step);
    const double update = (0.055 / 0.19) / std::sqrt(0.002575 / 0.0199);  // 1 - 0.9^2, 1 - 0.99^2
    expect_values(context, master, {0.85 - 0.1 * update, 1.05 + 0.1 * update});
  });
}

TEST_P(LayerKernelContract, AdamWKeepsAWideMaster) {
  run([&](RankContext& context) {
    // A step of 2^-10 on 1: bf16, spaced 2^-8 below 1, shows nothing until steps add up to 2^-9 or more.
    const Tensor master = tensor(context, {1}, {1}, DType::float32);
    const Tensor parameter = empty(context, {1}, DType::bfloat16);
    const auto scalar = [&](double value) { return tensor(context, {1}, {value}, DType::float32); };
    for (int i = 1; i <= 3; ++i) {
      launch(context, AdamW{.gradient = scalar(1),
                            .squared_norm = {},
                            .master = master,
                            .first_moment = scalar(0),
                            .second_moment = scalar(0),
                            .parameter = parameter,
                            .learning_rate = 0x1p-10,
                            .epsilon = 0.0,
                            .step = 1});
      expect_values(context, master, {1 - i * 0x1p-10}, 1e-6);
      expect_values(context, parameter, {i < 3 ? 1.0 : 1 - 0x1p-8}, 0);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, LayerKernelContract, testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace fourfold::test
