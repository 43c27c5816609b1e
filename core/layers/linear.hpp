#pragma once
// The parallel linear layer: the paper's Algorithm 1.
//
//   O (m x n) = I (m x k) W (k x n),   I: m/z x k/y,   W: k/y x n/x, sharded once more over z,   O: m/z x n/x
//
//   forward    W = all_gather_z(W shard);   O = all_reduce_y(I W)
//   backward   dI = all_reduce_x(dO W^T);   dW shard += reduce_scatter_z(I^T dO)
//
// A transposed layer swaps x and y, so that its input may be the output of a layer that is not.
// The bias, split as the columns of O, is left to the caller, which fuses its addition with what comes next.

#include <string>

#include "core/layers/step_context.hpp"

namespace fourfold {

/// Which axis splits the inputs (rows of W) and which the outputs (columns of W).
enum class Orientation { normal, transposed };

/// What the backward pass of a linear layer needs of the forward pass.
struct LinearActivations {
  Tensor input;   ///< (m/z, k/y)
  Tensor weight;  ///< (k/y, n/x) where it was kept
};

class Linear {
 public:
  struct Options {
    std::int64_t inputs = 0, outputs = 0;  ///< k, n
    Orientation orientation = Orientation::normal;
    double standard_deviation = 0.02;      ///< of the initial weights
    std::int64_t output_parts = 1;         ///< 3 for fused queries, keys, values
    std::string bucket;                    ///< of the weight; biases share one bucket per axis
  };
  Linear(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options);

  /// input (m/z, k/y) -> output (m/z, n/x), without the bias.
  Tensor forward(StepContext& step, const Tensor& input, Keep keep, LinearActivations& kept) const;
  /// d_output (m/z, n/x) -> d_input (m/z, k/y); adds the gradients of weight and bias.
  Tensor backward(StepContext& step, const Tensor& d_output, LinearActivations kept) const;

  const Parameter& weight() const { return *weight_; }
  const Parameter& bias() const { return *bias_; }

 private:
  Axis input_axis_, output_axis_;
  Parameter* weight_;
  Parameter* bias_;
};

/// The bucket of all vectors split over `axis`: one small collective for the whole model instead of many.
std::string vector_bucket(Axis axis);

}  // namespace fourfold
