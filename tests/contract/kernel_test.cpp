// Products, element-wise kernels, tables and layouts against numbers computed by hand.

#include <gtest/gtest.h>

#include "core/backend/ops.hpp"
#include "tests/contract/backends.hpp"

namespace fourfold::test {
namespace {

class KernelContract : public ContractTest {};

TEST_P(KernelContract, GemmInAllLayouts) {
  run([&](RankContext& context) {
    // [1 2 3; 4 5 6] [1 0; 2 1; 0 3] = [1+4+0  0+2+9; 4+10+0  0+5+18]
    const std::vector<double> product = {5, 11, 14, 23};
    const Tensor a = tensor(context, {2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor b = tensor(context, {3, 2}, {1, 0, 2, 1, 0, 3});
    const Tensor a_transposed = tensor(context, {3, 2}, {1, 4, 2, 5, 3, 6});
    const Tensor b_transposed = tensor(context, {2, 3}, {1, 2, 0, 0, 1, 3});
    expect_values(context, matmul(context, a, b, Transpose::none, MemoryKind::workspace), product);
    expect_values(context, matmul(context, a_transposed, b, Transpose::a, MemoryKind::workspace),
                  product);
    expect_values(context, matmul(context, a, b_transposed, Transpose::b, MemoryKind::workspace),
                  product);
    const Tensor c = tensor(context, {2, 2}, {1, 1, 1, 1});
    launch(context, Gemm{a_transposed, b_transposed, c, true, true, true});
    expect_values(context, c, {6, 12, 15, 24});
  });
}

TEST_P(KernelContract, GemmAccumulatesInWidePrecision) {
  run([&](RankContext& context) {
    // 256 + 9 ones: bf16 would drop each one, its spacing at 256 being 2; 265 lies between 264 and 266, ties to even: 264.
    const Tensor a = tensor(context, {1, 10}, {256, 1, 1, 1, 1, 1, 1, 1, 1, 1}, DType::bfloat16);
    const Tensor b = tensor(context, {10, 1}, std::vector<double>(10, 1.0), DType::bfloat16);
    expect_values(context, matmul(context, a, b, Transpose::none, MemoryKind::workspace), {264});
    expect_values(context,
                  matmul(context, a, b, Transpose::none, MemoryKind::workspace, DType::float32),
                  {265});
  });
}

TEST_P(KernelContract, BiasAndResidual) {
  run([&](RankContext& context) {
    const Tensor input = tensor(context, {2, 2}, {1, 2, 3, 4});
    const Tensor bias = tensor(context, {2}, {10, 20});
    const Tensor residual = tensor(context, {2, 2}, {100, 200, 300, 400});
    const Tensor output = empty(context, {2, 2});
    launch(context, BiasResidual{input, bias, residual, output, {}});
    expect_values(context, output, {111, 222, 313, 424});
    launch(context, AddBias{input, bias, input});
    expect_values(context, input, {11, 22, 13, 24});
    const Tensor sums = tensor(context, {2}, {1, 1});
    launch(context, ColumnSum{input, sums});
    expect_values(context, sums, {25, 47});  // 1 + 11 + 13, 1 + 22 + 24
  });
}

TEST_P(KernelContract, GeluOfGpt2) {
  run([&](RankContext& context) {
    // u/2 (1 + tanh(0.7978845608 (u + 0.044715 u^3))): u = 1: tanh(0.8335620) = 0.6823838; u = -2: tanh(-1.8811799) = -0.9545977.
    const Tensor input = tensor(context, {1, 3}, {0.5, -2.5, 0});
    const Tensor bias = tensor(context, {3}, {0.5, 0.5, 0});
    const Tensor output = empty(context, {1, 3});
    launch(context, BiasGelu{input, bias, output});
    expect_values(context, output, {0.8411920, -0.0454023, 0}, 1e-6);
    // Derivative (1 + t)/2 + u/2 (1 - t^2) 0.7978846 (1 + 0.134145 u^2):
    // u = 1: 0.8411919 + 0.5 0.5343523 0.7978846 1.134145 = 1.0829641; u = 0: 1/2.
    // u = -2: 0.0227012 - 0.0887432 0.7978846 1.53658 = -0.0860993.
    const Tensor d_output = tensor(context, {1, 3}, {1, 1, 3});
    launch(context, BiasGeluBackward{d_output, input, bias, d_output});
    expect_values(context, d_output, {1.0829641, -0.0860993, 1.5}, 1e-6);
  });
}

TEST_P(KernelContract, DropoutDependsOnTheGlobalElement) {
  run([&](RankContext& context) {
    const DropoutMask whole{0.5, 42, 0, 0, 4};
    const Tensor ones = tensor(context, {4, 4}, std::vector<double>(16, 1.0));
    launch(context, Dropout{ones, ones, whole});
    // The block of rows 2, 3 and columns 1, 2 of that matrix.
    const Tensor block = tensor(context, {2, 2}, std::vector<double>(4, 1.0));
    launch(context, Dropout{block, block, {0.5, 42, 2, 1, 4}});
    std::vector<double> expected;
    std::vector<double> expected_block;
    for (std::int64_t i = 0; i < 16; ++i) {
      const bool kept = random_uniform(42, static_cast<std::uint64_t>(i)) >= 0.5;
      expected.push_back(kept ? 2.0 : 0.0);  // 1 / (1 - 0.5)
      if (i / 4 >= 2 && i % 4 >= 1 && i % 4 <= 2) expected_block.push_back(expected.back());
    }
    expect_values(context, ones, expected);
    expect_values(context, block, expected_block);
    const Tensor residual = tensor(context, {4, 4}, std::vector<double>(16, 10.0));
    const Tensor bias = tensor(context, {4}, {1, 1, 1, 1});
    const Tensor zero = tensor(context, {4, 4}, std::vector<double>(16, 0.0));
    launch(context, BiasResidual{zero, bias, residual, zero, whole});
    for (double& value : expected) value += 10.0;
    expect_values(context, zero, expected);
  });
}

TEST_P(KernelContract, EmbeddingOfThisRanksRows) {
  run([&](RankContext& context) {
    // Rows 4 ... 6 of the vocabulary; tokens 3 and 7 belong to other ranks. Two blocks of one column.
    const Tensor tokens = tensor(context, {5}, {4, 6, 3, 4, 7}, DType::int32);
    const Tensor table = tensor(context, {3, 2}, {1, 2, 3, 4, 5, 6});
    const Tensor output = empty(context, {2, 5, 1});
    launch(context, EmbeddingForward{tokens, table, output, 4, 2});
    expect_values(context, output, {1, 5, 0, 1, 0, 2, 6, 0, 2, 0});

    const Tensor d_output = tensor(context, {2, 5, 1}, {1, 2, 4, 8, 16, 10, 20, 40, 80, 160});
    const Tensor d_table = empty(context, {3, 2});
    launch(context, EmbeddingBackward{tokens, d_output, d_table, 4, 2});
    expect_values(context, d_table, {9, 90, 0, 0, 2, 20});  // row 4: 1 + 8 and 10 + 80
  });
}

TEST_P(KernelContract, PositionsRepeatWithEachSequence) {
  run([&](RankContext& context) {
    const Tensor hidden = tensor(context, {4, 1}, {1, 2, 3, 4});
    const Tensor table = tensor(context, {3, 1}, {10, 20, 30});
    launch(context, AddPositions{hidden, table, 2});
    expect_values(context, hidden, {11, 22, 13, 24});
    const Tensor d_table = empty(context, {3, 1});
    launch(context, PositionsBackward{hidden, d_table, 2});
    expect_values(context, d_table,
                  {24, 46, 0});  // 11 + 13, 22 + 24, a position no sequence reaches
  });
}

TEST_P(KernelContract, MergeAndSplitColumnsAreInverse) {
  run([&](RankContext& context) {
    const Tensor blocks = tensor(context, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor merged = empty(context, {2, 4});
    launch(context, MergeColumns{blocks, merged, 2});
    expect_values(context, merged, {1, 2, 5, 6, 3, 4, 7, 8});
    const Tensor split = empty(context, {2, 2, 2});
    launch(context, SplitColumns{merged, split, 2});
    expect_values(context, split, {1, 2, 3, 4, 5, 6, 7, 8});
  });
}

TEST_P(KernelContract, CastRoundsToNearestEven) {
  run([&](RankContext& context) {
    // bf16 has 8 significant bits: spacing 2 between 256 and 512, 2^-7 between 1 and 2.
    const Tensor exact =
        tensor(context, {5}, {257, 259, 261, 1 + 0x1p-8, -(1 + 3 * 0x1p-8)}, DType::float32);
    const Tensor narrow = empty(context, {5}, DType::bfloat16);
    launch(context, Cast{exact, narrow});
    expect_values(context, narrow, {256, 260, 260, 1, -(1 + 0x1p-6)}, 0);
    const Tensor sum = tensor(context, {5}, {1, 1, 1, 1, 1}, DType::float32);
    launch(context, Accumulate{narrow, sum});
    expect_values(context, sum, {257, 261, 261, 2, -0x1p-6}, 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, KernelContract, testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace fourfold::test
