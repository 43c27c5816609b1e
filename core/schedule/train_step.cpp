#include "core/schedule/train_step.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/optimizer/optimizer.hpp"
#include "core/program/recorder.hpp"

namespace fourfold {
namespace {

/// Copies this micro-batch's part of `source` to the device.
Tensor upload_tokens(RankContext& context, std::span<const std::int32_t> source, std::int64_t begin, std::int64_t rows) {
  const Tensor tokens = context.device.allocate({rows}, DType::int32, MemoryKind::activations);
  const auto part = source.empty() ? source : source.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows));
  context.device.upload(Stream::compute, std::as_bytes(part), tokens);
  return tokens;
}

double download_scalar(RankContext& context, const Tensor& scalar) {
  double value64 = 0.0;
  float value32 = 0.0F;
  const bool is_double = scalar.dtype == DType::float64;
  context.device.download(Stream::compute, scalar,
                          is_double ? std::as_writable_bytes(std::span(&value64, 1))
                                    : std::as_writable_bytes(std::span(&value32, 1)));
  return is_double ? value64 : static_cast<double>(value32);
}

/// The schedules of one pass over the batch, and the loop over its micro-batches.
class BatchPass {
 public:
  BatchPass(RankContext& context, ParameterStore& store, const TrainConfig& train, double dropout, std::int64_t step)
      : train_(train),
        weights_(train.overlap.all_gather),
        reducer_(store, train.micro_batches(), train.overlap.data),
        gradients_(reducer_, train.overlap.reduce_scatter),
        context_{context, train.overlap, {dropout, train.seed + static_cast<std::uint64_t>(step), 0}, weights_, gradients_} {}

  /// Calls `body(step, tokens, targets)` for every micro-batch.
  template <typename Body>
  void for_each_micro_batch(const StepData& data, const Body& body) {
    const std::int64_t first = context_.index(kBatchAxes) * train_.sequences_per_rank() * train_.sequence;
    const std::int64_t count = train_.micro_batches();
    for (std::int64_t i = 0; i < count; ++i) {
      const Range range(context_.device, fmt::format("micro-batch {}", i));
      context_.dropout.first_row = first + i * train_.rows();
      const Tensor tokens = upload_tokens(context_, data.tokens, i * train_.rows(), train_.rows());
      const Tensor targets = upload_tokens(context_, data.targets, i * train_.rows(), train_.rows());
      body(context_, tokens, targets);
    }
  }

  /// Completes all gradients.
  void reduce_gradients() {
    gradients_.finish(context_);
    reducer_.finish(context_);
  }

  StepContext& context() { return context_; }

 private:
  const TrainConfig& train_;
  WeightGatherer weights_;
  GradientReducer reducer_;
  GradientScatterer gradients_;
  StepContext context_;
};

/// The weight of one token in the mean over the batch.
double token_weight(const TrainConfig& train) {
  return 1.0 / (static_cast<double>(train.batch) * static_cast<double>(train.sequence));
}

}  // namespace

StepResult train_step(RankContext& context, Gpt& model, const TrainConfig& train, const StepData& data,
                      double learning_rate, std::int64_t step) {
  ParameterStore& store = model.parameters();
  for (const ParameterBucket& bucket : store.buckets()) launch(context, Fill{bucket.gradients, 0.0});
  const Tensor loss = zeros(context, {1}, wide(train.dtype), MemoryKind::workspace);

  BatchPass pass(context, store, train, train.dropout, step);
  pass.for_each_micro_batch(data, [&](StepContext& step_context, const Tensor& tokens, const Tensor& targets) {
    model.forward_backward(step_context, tokens, targets, loss, token_weight(train));
  });
  {
    const Range range(context.device, "reduce gradients");
    pass.reduce_gradients();
    all_reduce(context, kBatchAxes, loss);
  }
  const Range range(context.device, "optimizer");
  const Tensor squared_norm = squared_gradient_norm(context, store);
  adamw_step(context, store, train.optimizer, squared_norm, learning_rate, step);
  return {download_scalar(context, loss), std::sqrt(download_scalar(context, squared_norm))};
}

double evaluate(RankContext& context, Gpt& model, const TrainConfig& train, const StepData& data) {
  const Range range(context.device, "evaluate");
  const Tensor loss = zeros(context, {1}, wide(train.dtype), MemoryKind::workspace);
  BatchPass pass(context, model.parameters(), train, 0.0, 0);
  pass.for_each_micro_batch(data, [&](StepContext& step_context, const Tensor& tokens, const Tensor& targets) {
    model.forward_loss(step_context, tokens, targets, loss, token_weight(train));
  });
  all_reduce(context, kBatchAxes, loss);
  return download_scalar(context, loss);
}

Tensor next_token_logits(RankContext& context, Gpt& model, const TrainConfig& train,
                         std::span<const std::int32_t> tokens) {
  const Range range(context.device, "generate");
  BatchPass pass(context, model.parameters(), train, 0.0, 0);
  const Tensor uploaded = upload_tokens(context, tokens, 0, static_cast<std::int64_t>(tokens.size()));
  return model.logits(pass.context(), uploaded);
}

StepProgram record_train_step(const GptConfig& model, const TrainConfig& train, Bytes memory_capacity, int rank) {
  check_divisibility(model, train);
  Recorder recorder(memory_capacity);
  RankContext context{train.grid, rank, recorder, recorder};
  Gpt gpt(context, model, train);
  recorder.begin_step();
  train_step(context, gpt, train, {}, train.optimizer.learning_rate, 1);
  return recorder.take_program();
}

}  // namespace fourfold
