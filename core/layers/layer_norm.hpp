#pragma once
// LayerNorm over the hidden dimension, which lies split over y: the sums of a row are reduced over y, so that the
// result equals the serial layer's. (AxoNN normalises each slice by itself, which is another function for y > 1.)

#include <string>

#include "core/layers/step_context.hpp"

namespace fourfold {

struct LayerNormActivations {
  Tensor input;    ///< (m/z, h/y)
  Tensor moments;  ///< (m/z, 2): sum and sum of squares over all h columns
};

class LayerNorm {
 public:
  LayerNorm(ParameterStore& store, const Grid& grid, const std::string& name, std::int64_t columns);

  /// input (m/z, h/y) -> output (m/z, h/y).
  Tensor forward(StepContext& step, const Tensor& input, Keep keep, LayerNormActivations& kept) const;
  /// d_output (m/z, h/y) -> d_input (m/z, h/y), to which the gradient of a residual branch is added where given.
  Tensor backward(StepContext& step, const Tensor& d_output, const Tensor& d_residual, LayerNormActivations kept) const;

 private:
  std::int64_t columns_;
  Parameter* gain_;
  Parameter* bias_;
};

}  // namespace fourfold
