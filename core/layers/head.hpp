#pragma once
// The output head and its loss: logits against a vocabulary that is split over x and y together, and cross-entropy
// without ever gathering a row of logits.
//
//   H      = all_gather_y(I)                        (m/z, h/y) -> (m/z, h)
//   logits = H W^T                                  (m/z, V/xy), W (V/xy, h) gathered over z
//   loss   = sum over rows of log(sum_xy exp) - target logit, sums and maximum reduced over x and y
//   dI     = all_reduce_x(reduce_scatter_y(dlogits W)),   dW shard += reduce_scatter_z(dlogits^T H)

#include <string>

#include "core/layers/step_context.hpp"

namespace fourfold {

class Head {
 public:
  /// `table`: the vocabulary's weight (V, h), rows over x and y; the token embedding's when tied.
  explicit Head(Parameter& table) : table_(&table) {}

  /// Adds an own, untied table.
  static Parameter& add_table(ParameterStore& store, const Grid& grid, const std::string& name, std::int64_t vocabulary,
                              std::int64_t hidden, const std::string& bucket);

  /// Forward and backward at once: input (m/z, h/y), targets (m/z) int32 -> d_input (m/z, h/y).
  /// loss (1) += scale * sum of the rows' losses; gradients are those of that sum.
  Tensor loss_and_gradient(StepContext& step, const Tensor& input, const Tensor& targets, const Tensor& loss,
                           double scale) const;

  /// The loss alone.
  void loss(StepContext& step, const Tensor& input, const Tensor& targets, const Tensor& loss, double scale) const;
  /// input (m/z, h/y) -> logits in blocks (x y, m/z, V/xy), gathered over x and y, wide.
  Tensor gathered_logits(StepContext& step, const Tensor& input) const;

  const Parameter& table() const { return *table_; }

 private:
  /// What the softmax of split rows needs: maximum (m/z) and sums (m/z, 2) over the whole vocabulary.
  struct Statistics {
    Tensor maximum, sums;
  };
  Statistics statistics(StepContext& step, const Tensor& logits, const Tensor& targets) const;
  /// First row of the vocabulary on this rank.
  std::int64_t first_row(const StepContext& step, const Tensor& logits) const;


  Parameter* table_;
};

}  // namespace fourfold
