#include "tests/cpu/kernel_cases.hpp"

#include <fmt/format.h>

namespace fourfold::test {
namespace {

constexpr std::int64_t kRows = 140,
                       kColumns = 37;  // 140 = 2 sequences of 70: more than a block of queries
constexpr std::int64_t kSequence = 70, kHeads = 3, kHeadDim = 5;
const Shape kMatrix = {kRows, kColumns};
const DropoutMask kMask{
    .probability = 0.3, .key = 99, .first_row = 7, .first_column = 11, .columns = 1000};

/// Sums over 10 columns and, with an epsilon of 25, never a negative variance.
Tensor moments(Operands& o) {
  return o.positive({kRows, 2});
}

std::vector<KernelCase> gemm_cases() {
  std::vector<KernelCase> cases;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      for (const bool accumulate : {false, true}) {
        // Tall and wide results: the threads split rows or columns.
        for (const auto& [m, n] : {std::pair{150, 40}, std::pair{40, 150}}) {
          cases.push_back({fmt::format("gemm_{}x{}{}{}{}", m, n, a ? "_ta" : "", b ? "_tb" : "",
                                       accumulate ? "_acc" : ""),
                           [=, m = m, n = n](Operands& o) {
                             const Shape a_shape = a ? Shape{70, m} : Shape{m, 70};
                             const Shape b_shape = b ? Shape{n, 70} : Shape{70, n};
                             return Gemm{
                                 o.normal(a_shape), o.normal(b_shape), o.normal({m, n}), a, b,
                                 accumulate};
                           }});
        }
      }
    }
  }
  cases.push_back({"gemm_wide_result", [](Operands& o) {
                     return Gemm{o.normal({50, 20}), o.normal({20, 30}), o.wide({50, 30})};
                   }});
  return cases;
}

std::vector<KernelCase> attention_cases() {
  std::vector<KernelCase> cases;
  for (const auto algorithm : {AttentionAlgorithm::flash, AttentionAlgorithm::unfused}) {
    for (const bool drops : {false, true}) {
      const bool flash = algorithm == AttentionAlgorithm::flash;
      const DropoutMask mask = drops ? kMask : DropoutMask{};
      const std::string suffix =
          std::string(flash ? "_flash" : "_unfused") + (drops ? "_dropout" : "");
      const Shape saved =
          flash ? Shape{2, kHeads, kSequence} : Shape{2, kHeads, kSequence, kSequence};
      const auto saved_tensor = [=](Operands& o) {
        return flash ? o.positive(saved) : o.causal(saved);
      };
      cases.push_back({"attention_forward" + suffix, [=](Operands& o) {
                         return AttentionForward{o.normal({kRows, 3, kHeads, kHeadDim}),
                                                 o.normal({kRows, kHeads * kHeadDim}),
                                                 saved_tensor(o),
                                                 kHeads,
                                                 kHeadDim,
                                                 kSequence,
                                                 algorithm,
                                                 mask};
                       }});
      cases.push_back({"attention_backward" + suffix, [=](Operands& o) {
                         return AttentionBackward{o.normal({kRows, kHeads * kHeadDim}),
                                                  o.normal({kRows, 3, kHeads, kHeadDim}),
                                                  o.normal({kRows, kHeads * kHeadDim}),
                                                  saved_tensor(o),
                                                  o.normal({kRows, 3, kHeads, kHeadDim}),
                                                  kHeads,
                                                  kHeadDim,
                                                  kSequence,
                                                  algorithm,
                                                  mask};
                       }});
    }
  }
  return cases;
}

std::vector<KernelCase> row_cases() {
  return {
      {"row_moments",
       [](Operands& o) {
         return RowMoments{o.normal(kMatrix), o.wide({kRows, 2})};
       }},
      {"layer_norm_forward",
       [](Operands& o) {
         return LayerNormForward{o.normal(kMatrix),
                                 moments(o),
                                 o.normal({kColumns}),
                                 o.normal({kColumns}),
                                 o.normal(kMatrix),
                                 10,
                                 25.0};
       }},
      {"layer_norm_backward_sums",
       [](Operands& o) {
         return LayerNormBackwardSums{o.normal(kMatrix),
                                      o.normal(kMatrix),
                                      moments(o),
                                      o.normal({kColumns}),
                                      o.wide({kRows, 2}),
                                      o.wide({kColumns}),
                                      o.wide({kColumns}),
                                      10,
                                      25.0};
       }},
      {"layer_norm_backward",
       [](Operands& o) {
         return LayerNormBackward{o.normal(kMatrix),
                                  o.normal(kMatrix),
                                  moments(o),
                                  o.normal({kColumns}),
                                  o.wide({kRows, 2}),
                                  {},
                                  o.normal(kMatrix),
                                  10,
                                  25.0};
       }},
      {"layer_norm_backward_residual",
       [](Operands& o) {
         return LayerNormBackward{o.normal(kMatrix),
                                  o.normal(kMatrix),
                                  moments(o),
                                  o.normal({kColumns}),
                                  o.wide({kRows, 2}),
                                  o.normal(kMatrix),
                                  o.normal(kMatrix),
                                  10,
                                  25.0};
       }},
      {"row_max",
       [](Operands& o) {
         return RowMax{o.wide(kMatrix), o.wide({kRows})};
       }},
      {"softmax_sums",
       [](Operands& o) {
         return SoftmaxSums{o.wide(kMatrix), o.positive({kRows}), o.tokens(kRows, 60),
                            o.wide({kRows, 2}), 20};
       }},
      {"cross_entropy_loss",
       [](Operands& o) {
         return CrossEntropyLoss{o.positive({kRows, 2}), o.wide({1}), 0.25};
       }},
      {"cross_entropy_backward",
       [](Operands& o) {
         return CrossEntropyBackward{o.wide(kMatrix),
                                     o.positive({kRows}),
                                     o.positive({kRows, 2}),
                                     o.tokens(kRows, 60),
                                     o.normal(kMatrix),
                                     20,
                                     0.25};
       }},
  };
}

std::vector<KernelCase> elementwise_cases() {
  return {
      {"add_bias",
       [](Operands& o) {
         return AddBias{o.normal(kMatrix), o.normal({kColumns}), o.normal(kMatrix)};
       }},
      {"bias_gelu",
       [](Operands& o) {
         return BiasGelu{o.normal(kMatrix), o.normal({kColumns}), o.normal(kMatrix)};
       }},
      {"bias_gelu_backward_in_place",
       [](Operands& o) {
         const Tensor gradient = o.normal(kMatrix);
         return BiasGeluBackward{gradient, o.normal(kMatrix), o.normal({kColumns}), gradient};
       }},
      {"bias_residual_in_place",
       [](Operands& o) {
         const Tensor branch = o.normal(kMatrix);
         return BiasResidual{branch, o.normal({kColumns}), o.normal(kMatrix), branch, {}};
       }},
      {"bias_residual_dropout",
       [](Operands& o) {
         return BiasResidual{o.normal(kMatrix), o.normal({kColumns}), o.normal(kMatrix),
                             o.normal(kMatrix), kMask};
       }},
      {"dropout",
       [](Operands& o) {
         return Dropout{o.normal(kMatrix), o.normal(kMatrix), kMask};
       }},
      {"column_sum",
       [](Operands& o) {
         return ColumnSum{o.normal(kMatrix), o.wide({kColumns})};
       }},
      {"fill",
       [](Operands& o) {
         return Fill{o.normal(kMatrix), 0.5};
       }},
      {"fill_tokens",
       [](Operands& o) {
         return Fill{o.tokens(10, 10), 3};
       }},
      {"narrow",
       [](Operands& o) {
         return Cast{o.wide(kMatrix), o.normal(kMatrix)};
       }},
      {"widen",
       [](Operands& o) {
         return Cast{o.normal(kMatrix), o.wide(kMatrix)};
       }},
      {"accumulate",
       [](Operands& o) {
         return Accumulate{o.normal(kMatrix), o.wide(kMatrix)};
       }},
      {"sum_of_squares",
       [](Operands& o) {
         return SumOfSquares{o.wide({3000}), o.wide({1}), 0.5};
       }},
      {"adamw",
       [](Operands& o) {
         return AdamW{o.wide({999}),
                      o.positive({1}),
                      o.wide({999}),
                      o.wide({999}),
                      o.positive({999}),
                      o.normal({999}),
                      1e-2,
                      0.9,
                      0.95,
                      1e-8,
                      0.1,
                      0.5,
                      3};
       }},
  };
}

std::vector<KernelCase> layout_cases() {
  return {
      {"embedding_forward",
       [](Operands& o) {
         return EmbeddingForward{o.tokens(kRows, 100), o.normal({50, 12}), o.normal({3, kRows, 4}),
                                 20, 3};
       }},
      {"embedding_backward",
       [](Operands& o) {
         return EmbeddingBackward{o.tokens(kRows, 200), o.normal({3, kRows, 4}),
                                  o.normal({150, 12}), 20, 3};
       }},
      {"add_positions",
       [](Operands& o) {
         return AddPositions{o.normal(kMatrix), o.normal({80, kColumns}), kSequence};
       }},
      {"positions_backward",
       [](Operands& o) {
         return PositionsBackward{o.normal(kMatrix), o.normal({80, kColumns}), kSequence};
       }},
      {"merge_columns",
       [](Operands& o) {
         return MergeColumns{o.normal({3, kRows, 5}), o.normal({kRows, 15}), 3};
       }},
      {"split_columns",
       [](Operands& o) {
         return SplitColumns{o.normal({kRows, 15}), o.normal({3, kRows, 5}), 3};
       }},
  };
}

}  // namespace

std::vector<KernelCase> all_kernel_cases() {
  std::vector<KernelCase> cases;
  for (const auto& family :
       {gemm_cases(), attention_cases(), row_cases(), elementwise_cases(), layout_cases()}) {
    cases.insert(cases.end(), family.begin(), family.end());
  }
  return cases;
}

}  // namespace fourfold::test
