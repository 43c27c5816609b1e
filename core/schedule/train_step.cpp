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

}  // namespace

StepResult train_step(RankContext& context, Gpt& model, const TrainConfig& train, const StepData& data,
                      double learning_rate, std::int64_t step) {
  ParameterStore& store = model.parameters();
  for (const ParameterBucket& bucket : store.buckets()) launch(context, Fill{bucket.gradients, 0.0});
  const Tensor loss = zeros(context, {1}, wide(train.dtype), MemoryKind::workspace);

  const std::int64_t micro_batches = train.micro_batches();
  WeightGatherer weights(train.overlap.all_gather);
  GradientReducer reducer(store, micro_batches, train.overlap.data);
  GradientScatterer gradients(reducer, train.overlap.reduce_scatter);
  StepContext step_context{context, train.overlap, weights, gradients};
  const double scale = 1.0 / (static_cast<double>(train.batch) * static_cast<double>(train.sequence));
  for (std::int64_t i = 0; i < micro_batches; ++i) {
    const Range range(context.device, fmt::format("micro-batch {}", i));
    const Tensor tokens = upload_tokens(context, data.tokens, i * train.rows(), train.rows());
    const Tensor targets = upload_tokens(context, data.targets, i * train.rows(), train.rows());
    model.forward_backward(step_context, tokens, targets, loss, scale);
  }
  {
    const Range range(context.device, "reduce gradients");
    gradients.finish(context);
    reducer.finish(context);
    all_reduce(context, kBatchAxes, loss);
  }
  const Range range(context.device, "optimizer");
  const Tensor squared_norm = squared_gradient_norm(context, store);
  adamw_step(context, store, train.optimizer, squared_norm, learning_rate, step);
  return {download_scalar(context, loss), std::sqrt(download_scalar(context, squared_norm))};
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
