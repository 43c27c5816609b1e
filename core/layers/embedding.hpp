#pragma once
// Token and position embeddings. The rows of the token table (the vocabulary) are split over x and y together, both
// tables are sharded over z as every weight. A rank finds the tokens of its own rows; the sum over x and y, which
// has one term that is not zero, leaves the result in the layout of the residual stream, (m/z, h/y).
//
//   E = dropout(all_reduce_x(reduce_scatter_y(lookup)) + positions)      (m/z, h) -> (m/z, h/y)

#include <string>

#include "core/layers/step_context.hpp"

namespace fourfold {

class Embedding {
 public:
  struct Options {
    std::int64_t vocabulary = 0, hidden = 0;
    std::int64_t positions = 0;  ///< rows of the position table, the longest sequence
    std::int64_t sequence = 0;   ///< of the batches
    bool tied = true;  ///< the output head uses the token table as well
    std::string bucket;
  };
  Embedding(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options);

  /// tokens (m/z) int32 -> (m/z, h/y).
  Tensor forward(StepContext& step, const Tensor& tokens) const;
  /// d_output (m/z, h/y).
  void backward(StepContext& step, const Tensor& tokens, const Tensor& d_output) const;

  Parameter& tokens() const { return *tokens_; }
  const Parameter& positions() const { return *positions_; }

 private:
  DropoutMask dropout_mask(const StepContext& step) const;

  std::string name_;
  std::int64_t hidden_, sequence_;
  Parameter* tokens_;
  Parameter* positions_;
};

}  // namespace fourfold
