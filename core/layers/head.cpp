#include "core/layers/head.hpp"

#include "core/layers/columns.hpp"

namespace fourfold {
namespace {

constexpr AxisSet kVocabularyAxes = Axis::x | Axis::y;

/// hidden (m/z, h) and table (V/xy, h) -> logits (m/z, V/xy), wide.
Tensor logits_of(StepContext& step, const Tensor& hidden, const Tensor& table) {
  return matmul(step, hidden, table, Transpose::b, MemoryKind::activations, wide(hidden.dtype));
}

}  // namespace

Parameter& Head::add_table(ParameterStore& store, const Grid& grid, const std::string& name, std::int64_t vocabulary,
                           std::int64_t hidden, const std::string& bucket) {
  return *store.add(grid, bucket,
                    {.name = name + ".weight",
                     .shape = {vocabulary, hidden},
                     .placement = {Axis::x | Axis::y, {}, Axis::z},
                     .standard_deviation = 0.02});
}

Tensor Head::loss_and_gradient(StepContext& step, const Tensor& input, const Tensor& targets, const Tensor& loss,
                               double scale) const {
  const Range range(step.device, "head");
  const Tensor hidden = gather_columns(step, Axis::y, input, MemoryKind::activations);  // (m/z, h)
  const Tensor table = step.weights.take(step, *table_);                                // (V/xy, h)

  Tensor d_logits;  // (m/z, V/xy)
  {
    const Tensor logits = logits_of(step, hidden, table);
    const auto [maximum, sums] = statistics(step, logits, targets);
    launch(step, CrossEntropyLoss{sums, loss, scale});
    d_logits = step.device.allocate(logits.shape, input.dtype, MemoryKind::workspace);
    launch(step, CrossEntropyBackward{logits, maximum, sums, targets, d_logits, first_row(step, logits), scale});
  }
  const Tensor d_table = matmul(step, d_logits, hidden, Transpose::a, MemoryKind::workspace);  // (V/xy, h), Partial over z
  step.gradients.scatter(step, *table_, d_table);
  const Tensor d_hidden = matmul(step, d_logits, table, Transpose::none, MemoryKind::workspace);  // (m/z, h), Partial over x, y
  const Tensor d_input = reduce_scatter_columns(step, Axis::y, d_hidden, MemoryKind::workspace);  // (m/z, h/y), Partial over x
  all_reduce(step, Axis::x, d_input);
  return d_input;
}

void Head::loss(StepContext& step, const Tensor& input, const Tensor& targets, const Tensor& loss, double scale) const {
  const Range range(step.device, "head");
  const Tensor hidden = gather_columns(step, Axis::y, input, MemoryKind::activations);
  const Tensor logits = logits_of(step, hidden, step.weights.take(step, *table_));
  launch(step, CrossEntropyLoss{statistics(step, logits, targets).sums, loss, scale});
}

Tensor Head::gathered_logits(StepContext& step, const Tensor& input) const {
  const Range range(step.device, "head");
  const Tensor hidden = gather_columns(step, Axis::y, input, MemoryKind::activations);
  const Tensor logits = logits_of(step, hidden, step.weights.take(step, *table_));
  Pending gathered =
      start_all_gather(step, reduction_stream(Axis::x), kVocabularyAxes, logits, MemoryKind::activations);
  return reshaped(join(step, gathered), {step.size(kVocabularyAxes), logits.shape[0], logits.shape[1]});
}

Head::Statistics Head::statistics(StepContext& step, const Tensor& logits, const Tensor& targets) const {
  const std::int64_t rows = logits.shape[0];
  const Tensor maximum = step.device.allocate({rows}, logits.dtype, MemoryKind::workspace);
  launch(step, RowMax{logits, maximum});
  all_reduce(step, kVocabularyAxes, maximum, Reduction::max);
  const Tensor sums = step.device.allocate({rows, 2}, logits.dtype, MemoryKind::workspace);
  launch(step, SoftmaxSums{logits, maximum, targets, sums, first_row(step, logits)});
  all_reduce(step, kVocabularyAxes, sums);
  return {maximum, sums};
}

std::int64_t Head::first_row(const StepContext& step, const Tensor& logits) const {
  return step.index(kVocabularyAxes) * logits.shape[1];
}

}  // namespace fourfold
