#include "tests/numerics/layer_probe.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/counter_random.hpp"
#include "tests/support/tensor_values.hpp"
#include "tests/support/training_run.hpp"

namespace fourfold::test {
namespace {

std::vector<double> random_values(std::string_view name, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(random_normal(random_key(1, name), static_cast<std::uint64_t>(i)));
  }
  return values;
}

class DifferenceCheck {
 public:
  DifferenceCheck(RankContext& context, const MakeProbe& make, Tensor input)
      : context_(context),
        store_(DType::float64),
        probe_(make(store_, context.grid)),
        input_(std::move(input)) {
    store_.allocate(context);
    set_random_parameters(context, store_);
    for (ParameterBucket& bucket : store_.buckets()) launch(context, Fill{bucket.gradients, 0.0});
  }

  void run() {
    const Tensor d_input = backward();
    if (d_input.defined()) compare("input", input_, download_values(context_.device, d_input));
    for (const auto& parameter : store_.parameters()) {
      compare(parameter->spec.name, parameter->value,
              download_values(context_.device, parameter->gradient));
    }
  }

 private:
  /// Calls `body` with fresh schedules.
  template <typename Body>
  auto with_step(const Body& body) {
    WeightGatherer weights(false);
    for (const Parameter* weight : probe_->forward_weights()) weights.plan(weight);
    for (const Parameter* weight : probe_->backward_weights()) weights.plan(weight);
    GradientReducer reducer(store_, 1, false);
    GradientScatterer gradients(reducer, false);
    StepContext step{context_, {}, {}, weights, gradients};
    return body(step);
  }

  double value() {
    return with_step([&](StepContext& step) {
      const std::vector<double> output =
          download_values(context_.device, probe_->forward(step, input_));
      const std::vector<double> coefficients =
          random_values("output", static_cast<std::int64_t>(output.size()));
      double sum = 0;
      for (std::size_t i = 0; i < output.size(); ++i) sum += coefficients[i] * output[i];
      return sum;
    });
  }

  Tensor backward() {
    return with_step([&](StepContext& step) {
      const Tensor output = probe_->forward(step, input_);
      const Tensor d_output = tensor_of(context_.device, output.shape, DType::float64,
                                        random_values("output", output.elements()));
      Tensor d_input = probe_->backward(step, d_output);
      step.gradients.finish(context_);
      return d_input;
    });
  }

  /// `tensor` is a variable of the function, `gradient` what the layer says about it.
  void compare(const std::string& name, const Tensor& tensor, const std::vector<double>& gradient) {
    constexpr double kStep = 1e-5;
    const std::vector<double> point = download_values(context_.device, tensor);
    const auto value_at = [&](std::size_t i, double offset) {
      std::vector<double> moved = point;
      moved[i] += offset;
      upload_values(context_.device, tensor, moved);
      return value();
    };
    double scale = 1e-3;
    for (double derivative : gradient) scale = std::max(scale, std::abs(derivative));
    const std::size_t stride = std::max<std::size_t>(1, gradient.size() / 60);
    for (std::size_t i = 0; i < gradient.size(); i += stride) {
      const double difference = (value_at(i, kStep) - value_at(i, -kStep)) / (2 * kStep);
      EXPECT_NEAR(gradient[i], difference, 1e-7 * scale) << name << " element " << i;
    }
    upload_values(context_.device, tensor, point);
  }

  RankContext& context_;
  ParameterStore store_;
  std::unique_ptr<LayerProbe> probe_;
  Tensor input_;
};

}  // namespace

void expect_gradients_are_differences(const MakeProbe& make, Shape input_shape) {
  real::run_ranks(Grid(), [&](RankContext& context) {
    const std::vector<double> values = random_values("input", element_count(input_shape));
    DifferenceCheck(context, make, tensor_of(context.device, input_shape, DType::float64, values))
        .run();
  });
}

void expect_gradients_are_differences_for_tokens(const MakeProbe& make, std::int64_t tokens,
                                                 std::int64_t vocabulary) {
  real::run_ranks(Grid(), [&](RankContext& context) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < tokens; ++i)
      values.push_back(static_cast<double>((7 * i + 3) % vocabulary));
    DifferenceCheck(context, make, tensor_of(context.device, {tokens}, DType::int32, values)).run();
  });
}

}  // namespace fourfold::test
