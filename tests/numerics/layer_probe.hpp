#pragma once
// One layer on one rank as a scalar function of its input and parameters, and its gradient by central differences.

#include <functional>
#include <memory>
#include <vector>

#include "core/layers/parameter.hpp"
#include "core/layers/step_context.hpp"

namespace fourfold::test {

/// A layer under test. The function is sum_i coefficient_i output_i.
class LayerProbe {
 public:
  virtual ~LayerProbe() = default;
  /// input (R, C) -> output, keeping what the backward pass needs.
  virtual Tensor forward(StepContext& step, const Tensor& input) = 0;
  /// d_output -> d_input; undefined where the layer's input has no gradient (tokens).
  virtual Tensor backward(StepContext& step, const Tensor& d_output) = 0;
  /// The weights in the order in which forward and backward take them from the gatherer.
  virtual std::vector<const Parameter*> forward_weights() const { return {}; }
  virtual std::vector<const Parameter*> backward_weights() const { return forward_weights(); }
};

using MakeProbe = std::function<std::unique_ptr<LayerProbe>(ParameterStore&, const Grid&)>;

/// Compares backward with central differences in the elements of input and of every parameter, in fp64. The deviation
/// may be 1e-7 of a tensor's largest gradient: with steps of 1e-5 truncation is about 1e-10, rounding about 1e-10.
void expect_gradients_are_differences(const MakeProbe& make, Shape input_shape);

/// The same for tokens as input (int32, below `vocabulary`), which have no gradient.
void expect_gradients_are_differences_for_tokens(const MakeProbe& make, std::int64_t tokens,
                                                 std::int64_t vocabulary);

}  // namespace fourfold::test
