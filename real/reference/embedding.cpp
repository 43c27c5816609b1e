#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {
namespace {

/// Sizes of an embedding: R tokens, V rows of the table on this rank, h columns written as blocks
/// of width w.
struct Sizes {
  Sizes(const Tensor& tokens, const Tensor& table, std::int64_t column_blocks)
      : rows(tokens.elements()),
        vocabulary(rows_of(table)),
        blocks(column_blocks),
        width(columns_of(table) / column_blocks) {}
  Extents hidden() const { return {blocks, rows, width}; }
  Extents table() const { return {vocabulary, blocks, width}; }

  std::int64_t rows, vocabulary, blocks, width;
};

}  // namespace

void run(const EmbeddingForward& kernel) {
  const Sizes size(kernel.tokens, kernel.table, kernel.blocks);
  const Array tokens = load_flat(kernel.tokens);
  const Array table = load(kernel.table, size.table(), "table");
  Array output(size.hidden());
  for (std::int64_t r = 0; r < size.rows; ++r) {
    const std::int64_t row = static_cast<std::int64_t>(tokens(r)) - kernel.first_row;
    if (row < 0 || row >= size.vocabulary) continue;
    for (std::int64_t b = 0; b < size.blocks; ++b) {
      for (std::int64_t c = 0; c < size.width; ++c) output(b, r, c) = table(row, b, c);
    }
  }
  store(output, kernel.output, "output");
}

void run(const EmbeddingBackward& kernel) {
  const Sizes size(kernel.tokens, kernel.d_table, kernel.blocks);
  const Array tokens = load_flat(kernel.tokens);
  const Array d_output = load(kernel.d_output, size.hidden(), "d_output");
  Array d_table(size.table());
  for (std::int64_t r = 0; r < size.rows; ++r) {
    const std::int64_t row = static_cast<std::int64_t>(tokens(r)) - kernel.first_row;
    if (row < 0 || row >= size.vocabulary) continue;
    for (std::int64_t b = 0; b < size.blocks; ++b) {
      for (std::int64_t c = 0; c < size.width; ++c) d_table(row, b, c) += d_output(b, r, c);
    }
  }
  store(d_table, kernel.d_table, "d_table");
}

void run(const AddPositions& kernel) {
  const std::int64_t rows = rows_of(kernel.hidden);
  const std::int64_t columns = columns_of(kernel.hidden);
  Array hidden = load(kernel.hidden, {rows, columns}, "hidden");
  const Array table = load(kernel.table, {kernel.table.elements() / columns, columns}, "table");
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) hidden(r, c) += table(r % kernel.sequence, c);
  }
  store(hidden, kernel.hidden, "hidden");
}

void run(const PositionsBackward& kernel) {
  const std::int64_t rows = rows_of(kernel.d_hidden);
  const std::int64_t columns = columns_of(kernel.d_hidden);
  const Array d_hidden = load(kernel.d_hidden, {rows, columns}, "d_hidden");
  Array d_table({kernel.d_table.elements() / columns, columns});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) d_table(r % kernel.sequence, c) += d_hidden(r, c);
  }
  store(d_table, kernel.d_table, "d_table");
}

}  // namespace fourfold::real
