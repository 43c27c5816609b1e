#include "core/layers/head.hpp"

#include "core/layers/columns.hpp"

namespace fourfold {

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
    const Tensor logits =
        matmul(step, hidden, table, Transpose::b, MemoryKind::activations, wide(input.dtype));  // (m/z, V/xy)
    d_logits = logits_gradient(step, logits, targets, loss, scale, input.dtype);
  }
  const Tensor d_table = matmul(step, d_logits, hidden, Transpose::a, MemoryKind::workspace);  // (V/xy, h), Partial over z
  step.gradients.scatter(step, *table_, d_table);
  const Tensor d_hidden = matmul(step, d_logits, table, Transpose::none, MemoryKind::workspace);  // (m/z, h), Partial over x, y
  const Tensor d_input = reduce_scatter_columns(step, Axis::y, d_hidden, MemoryKind::workspace);  // (m/z, h/y), Partial over x
  all_reduce(step, Axis::x, d_input);
  return d_input;
}

Tensor Head::logits_gradient(StepContext& step, const Tensor& logits, const Tensor& targets, const Tensor& loss,
                             double scale, DType dtype) const {
  constexpr AxisSet kVocabularyAxes = Axis::x | Axis::y;
  const std::int64_t rows = logits.shape[0];
  const std::int64_t first_column = step.index(kVocabularyAxes) * logits.shape[1];
  const auto statistic = [&](Shape shape) {
    return step.device.allocate(std::move(shape), logits.dtype, MemoryKind::workspace);
  };
  const Tensor maximum = statistic({rows});
  launch(step, RowMax{logits, maximum});
  all_reduce(step, kVocabularyAxes, maximum, Reduction::max);
  const Tensor sums = statistic({rows, 2});
  launch(step, SoftmaxSums{logits, maximum, targets, sums, first_column});
  all_reduce(step, kVocabularyAxes, sums);
  launch(step, CrossEntropyLoss{sums, loss, scale});
  const Tensor d_logits = step.device.allocate(logits.shape, dtype, MemoryKind::workspace);
  launch(step, CrossEntropyBackward{logits, maximum, sums, targets, d_logits, first_column, scale});
  return d_logits;
}

}  // namespace fourfold
