#pragma once
// The feed-forward layer of a transformer block.
//
//   f = I W_1               normal        (m/z, h/y) -> (m/z, f/x)
//   g = gelu(f + b_1)       local
//   O = g W_2               transposed    (m/z, f/x) -> (m/z, h/y), bias left to the caller

#include <string>

#include "core/layers/linear.hpp"

namespace fourfold {

struct MlpActivations {
  LinearActivations expand, contract;
  Tensor expanded;  ///< f, (m/z, f/x)
};

class Mlp {
 public:
  struct Options {
    std::int64_t hidden = 0, ffn = 0;
    double contract_deviation = 0.02;  ///< initial standard deviation of W_2
    std::string bucket;
  };
  Mlp(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options);

  Tensor forward(StepContext& step, const Tensor& input, Keep keep, MlpActivations& kept) const;
  Tensor backward(StepContext& step, const Tensor& d_output, MlpActivations kept) const;

  const Linear& expand() const { return expand_; }
  const Linear& contract() const { return contract_; }

 private:
  Linear expand_, contract_;
};

}  // namespace fourfold
