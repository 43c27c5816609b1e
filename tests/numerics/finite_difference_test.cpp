// Gradients of every layer, and of the whole GPT, against central differences.

#include <array>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "core/models/gpt.hpp"
#include "tests/numerics/layer_probe.hpp"
#include "tests/numerics/tiny_gpt.hpp"
#include "tests/support/tensor_values.hpp"
#include "tests/support/training_run.hpp"

namespace fourfold::test {
namespace {

constexpr std::int64_t kHidden = 8, kHeads = 2, kSequence = 4, kRows = 8;

class LinearProbe final : public LayerProbe {
 public:
  LinearProbe(ParameterStore& store, const Grid& grid)
      : layer_(store, grid, "linear", {.inputs = kHidden, .outputs = 6, .bucket = "weights"}) {}
  Tensor forward(StepContext& step, const Tensor& input) override {
    const Tensor output = layer_.forward(step, input, Keep::inputs, kept_);
    launch(step, AddBias{output, layer_.bias().value, output});
    return output;
  }
  Tensor backward(StepContext& step, const Tensor& d_output) override {
    return layer_.backward(step, d_output, kept_);
  }
  std::vector<const Parameter*> forward_weights() const override { return {&layer_.weight()}; }

 private:
  Linear layer_;
  LinearActivations kept_;
};

class LayerNormProbe final : public LayerProbe {
 public:
  LayerNormProbe(ParameterStore& store, const Grid& grid) : layer_(store, grid, "norm", kHidden) {}
  Tensor forward(StepContext& step, const Tensor& input) override {
    return layer_.forward(step, input, Keep::inputs, kept_);
  }
  Tensor backward(StepContext& step, const Tensor& d_output) override {
    return layer_.backward(step, d_output, {}, kept_);
  }

 private:
  LayerNorm layer_;
  LayerNormActivations kept_;
};

template <AttentionAlgorithm algorithm>
class AttentionProbe final : public LayerProbe {
 public:
  AttentionProbe(ParameterStore& store, const Grid& grid)
      : layer_(store, grid, "attention",
               {.hidden = kHidden,
                .heads = kHeads,
                .sequence = kSequence,
                .algorithm = algorithm,
                .bucket = "weights"}) {}
  Tensor forward(StepContext& step, const Tensor& input) override {
    const Tensor output = layer_.forward(step, input, Keep::inputs, kept_);
    launch(step, AddBias{output, layer_.projection().bias().value, output});
    return output;
  }
  Tensor backward(StepContext& step, const Tensor& d_output) override {
    return layer_.backward(step, d_output, kept_);
  }
  std::vector<const Parameter*> forward_weights() const override {
    return {&layer_.qkv().weight(), &layer_.projection().weight()};
  }
  std::vector<const Parameter*> backward_weights() const override {
    return {&layer_.projection().weight(), &layer_.qkv().weight()};
  }

 private:
  SelfAttention layer_;
  AttentionActivations kept_;
};

class MlpProbe final : public LayerProbe {
 public:
  MlpProbe(ParameterStore& store, const Grid& grid)
      : layer_(store, grid, "mlp", {.hidden = kHidden, .ffn = 12, .bucket = "weights"}) {}
  Tensor forward(StepContext& step, const Tensor& input) override {
    const Tensor output = layer_.forward(step, input, Keep::inputs, kept_);
    launch(step, AddBias{output, layer_.contract().bias().value, output});
    return output;
  }
  Tensor backward(StepContext& step, const Tensor& d_output) override {
    return layer_.backward(step, d_output, kept_);
  }
  std::vector<const Parameter*> forward_weights() const override {
    return {&layer_.expand().weight(), &layer_.contract().weight()};
  }
  std::vector<const Parameter*> backward_weights() const override {
    return {&layer_.contract().weight(), &layer_.expand().weight()};
  }

 private:
  Mlp layer_;
  MlpActivations kept_;
};

class EmbeddingProbe final : public LayerProbe {
 public:
  EmbeddingProbe(ParameterStore& store, const Grid& grid)
      : layer_(store, grid, "embedding",
               {.vocabulary = 10,
                .hidden = kHidden,
                .positions = 2 * kSequence,
                .sequence = kSequence,
                .tied = false,
                .bucket = "tables"}) {}
  Tensor forward(StepContext& step, const Tensor& tokens) override {
    tokens_ = tokens;
    return layer_.forward(step, tokens);
  }
  Tensor backward(StepContext& step, const Tensor& d_output) override {
    layer_.backward(step, tokens_, d_output);
    return {};
  }
  std::vector<const Parameter*> forward_weights() const override {
    return {&layer_.tokens(), &layer_.positions()};
  }
  std::vector<const Parameter*> backward_weights() const override { return {}; }

 private:
  Embedding layer_;
  Tensor tokens_;
};

template <typename Probe>
MakeProbe make() {
  return
      [](ParameterStore& store, const Grid& grid) { return std::make_unique<Probe>(store, grid); };
}

TEST(FiniteDifferences, Linear) {
  expect_gradients_are_differences(make<LinearProbe>(), {kRows, kHidden});
}

TEST(FiniteDifferences, LayerNorm) {
  expect_gradients_are_differences(make<LayerNormProbe>(), {kRows, kHidden});
}

TEST(FiniteDifferences, FlashAttention) {
  expect_gradients_are_differences(make<AttentionProbe<AttentionAlgorithm::flash>>(),
                                   {kRows, kHidden});
}

TEST(FiniteDifferences, UnfusedAttention) {
  expect_gradients_are_differences(make<AttentionProbe<AttentionAlgorithm::unfused>>(),
                                   {kRows, kHidden});
}

TEST(FiniteDifferences, Mlp) {
  expect_gradients_are_differences(make<MlpProbe>(), {kRows, kHidden});
}

TEST(FiniteDifferences, Embedding) {
  expect_gradients_are_differences_for_tokens(make<EmbeddingProbe>(), kRows, 10);
}

/// The loss is that of a training step with learning rate 0, which leaves parameters as they are and gradients behind.
/// This covers the head, residual branches, tying and dropout (one step, one mask) as well.
void expect_gpt_gradients_are_differences(const GptConfig& model, const TrainConfig& train) {
  real::run_ranks(train.grid, [&](RankContext& context) {
    Gpt gpt(context, model, train);
    set_random_parameters(context, gpt.parameters());
    const RankTokens data = random_tokens(context, model, train, 0);
    const auto loss = [&] {
      return train_step(context, gpt, train, {data.tokens, data.targets}, 0.0, 1).loss;
    };
    loss();
    NamedValues gradients;
    collect(context, gpt.parameters(), &Parameter::gradient, gradients);
    for (const auto& parameter : gpt.parameters().parameters()) {
      const std::vector<double>& gradient = gradients.at(parameter->spec.name);
      const std::vector<double> point = download_values(context.device, parameter->value);
      double scale = 0;
      for (double derivative : gradient) scale = std::max(scale, std::abs(derivative));
      for (std::size_t i = 0; i < point.size(); i += point.size() / 8 + 1) {
        constexpr double kStep = 1e-5;
        std::array<double, 2> losses{};
        for (std::size_t side : {0, 1}) {
          std::vector<double> moved = point;
          moved[i] += side == 0 ? -kStep : kStep;
          upload_values(context.device, parameter->value, moved);
          losses[side] = loss();
        }
        const double difference = (losses[1] - losses[0]) / (2 * kStep);
        // Losses near 4 are exact to about 1e-15, so the quotient to 1e-10.
        EXPECT_NEAR(gradient[i], difference, 1e-6 * scale + 1e-9)
            << parameter->spec.name << " element " << i;
      }
      upload_values(context.device, parameter->value, point);
    }
  });
}

TEST(FiniteDifferences, WholeGptTied) {
  TrainConfig train = tiny_training(Grid());
  train.batch = 4;
  train.micro_batch = 2;
  train.recompute = Recompute::full;
  expect_gpt_gradients_are_differences(tiny_gpt(2), train);
}

TEST(FiniteDifferences, WholeGptUntiedWithDropout) {
  GptConfig model = tiny_gpt(2);
  model.tied = false;
  TrainConfig train = tiny_training(Grid());
  train.batch = 4;
  train.dropout = 0.2;
  train.attention = AttentionAlgorithm::unfused;
  expect_gpt_gradients_are_differences(model, train);
}

}  // namespace
}  // namespace fourfold::test
