#include "core/layers/embedding.hpp"

#include "core/layers/columns.hpp"

namespace fourfold {

Embedding::Embedding(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options)
    : name_(name), hidden_(options.hidden), sequence_(options.sequence) {
  constexpr double kDeviation = 0.02;  // as GPT-2
  tokens_ = store.add(grid, options.bucket,
                      {.name = name + ".tokens.weight",
                       .shape = {options.vocabulary, options.hidden},
                       .placement = {Axis::x | Axis::y, {}, Axis::z},
                       .standard_deviation = kDeviation,
                       .uses = options.tied ? 2 : 1});
  positions_ = store.add(grid, options.bucket + "_positions",
                         {.name = name + ".positions.weight",
                          .shape = {options.positions, options.hidden},
                          .placement = {{}, Axis::y, Axis::z},
                          .standard_deviation = kDeviation});
}

Tensor Embedding::forward(StepContext& step, const Tensor& tokens) const {
  const Range range(step.device, "embedding");
  const std::int64_t blocks = step.size(Axis::y);
  Tensor hidden;  // (m/z, h/y)
  {
    const Tensor table = step.weights.take(step, *tokens_);  // (V/xy, h)
    const Tensor found = step.device.allocate({blocks, tokens.elements(), hidden_ / blocks}, table.dtype,
                                              MemoryKind::activations);  // Partial over x and y
    const std::int64_t first_row = step.index(Axis::x | Axis::y) * table.shape[0];
    launch(step, EmbeddingForward{tokens, table, found, first_row, blocks});
    hidden = reduce_scatter_column_blocks(step, Axis::y, found, MemoryKind::activations);
  }
  all_reduce(step, Axis::x, hidden);
  const Tensor table = step.weights.take(step, *positions_);  // (positions, h/y)
  launch(step, AddPositions{hidden, table, sequence_});
  apply_dropout(step, hidden, dropout_mask(step));
  return hidden;
}

void Embedding::backward(StepContext& step, const Tensor& tokens, const Tensor& d_output) const {
  const Range range(step.device, "embedding");
  apply_dropout(step, d_output, dropout_mask(step));
  const Shape positions_block = local_block(positions_->spec.shape, positions_->spec.placement, step.grid, "positions");
  const Tensor d_positions = step.device.allocate(positions_block, d_output.dtype, MemoryKind::workspace);
  launch(step, PositionsBackward{d_output, d_positions, sequence_});
  step.gradients.scatter(step, *positions_, d_positions);

  const Tensor d_rows = gather_column_blocks(step, Axis::y, d_output, MemoryKind::workspace);  // (y, m/z, h/y)
  const Shape table_block = local_block(tokens_->spec.shape, tokens_->spec.placement, step.grid, "vocabulary");
  const Tensor d_table = step.device.allocate(table_block, d_output.dtype, MemoryKind::workspace);  // (V/xy, h)
  const std::int64_t first_row = step.index(Axis::x | Axis::y) * table_block[0];
  launch(step, EmbeddingBackward{tokens, d_rows, d_table, first_row, step.size(Axis::y)});
  step.gradients.scatter(step, *tokens_, d_table);
}

DropoutMask Embedding::dropout_mask(const StepContext& step) const {
  const std::int64_t columns = hidden_ / step.size(Axis::y);
  return step.dropout.mask(name_, step.index(Axis::y) * columns, hidden_);
}

}  // namespace fourfold
