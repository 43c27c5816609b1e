#pragma once
// Causal multi-head self-attention with its projections. Heads are split over x, sequences over z and data; ranks
// along y compute the same heads, as in AxoNN.
//
//   qkv = I W_qkv + b       normal        (m/z, h/y) -> (m/z, 3h/x)
//   a   = attention(qkv)    local         (m/z, 3h/x) -> (m/z, h/x)
//   O   = a W_proj          transposed    (m/z, h/x) -> (m/z, h/y), bias left to the caller

#include <string>

#include "core/layers/linear.hpp"

namespace fourfold {

struct AttentionActivations {
  LinearActivations qkv_linear, projection;
  Tensor qkv;     ///< (m/z, 3h/x)
  Tensor output;  ///< (m/z, h/x)
  Tensor saved;   ///< log-sum-exp or probabilities, see AttentionForward
};

class SelfAttention {
 public:
  struct Options {
    std::int64_t hidden = 0, heads = 0, sequence = 0;
    AttentionAlgorithm algorithm = AttentionAlgorithm::flash;
    double projection_deviation = 0.02;  ///< initial standard deviation of W_proj
    std::string bucket;
  };
  SelfAttention(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options);

  Tensor forward(StepContext& step, const Tensor& input, Keep keep, AttentionActivations& kept) const;
  Tensor backward(StepContext& step, const Tensor& d_output, AttentionActivations kept) const;

  const Linear& qkv() const { return qkv_; }
  const Linear& projection() const { return projection_; }

 private:
  DropoutMask dropout_mask(const StepContext& step) const;

  std::string name_;
  std::int64_t heads_, head_dim_, sequence_;  ///< heads on this rank
  AttentionAlgorithm algorithm_;
  Linear qkv_, projection_;
};

}  // namespace fourfold
