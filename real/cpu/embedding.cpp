#include <algorithm>

#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {
namespace {

/// R tokens, V rows of the table on this rank, h columns that the output holds as `blocks` blocks of width w.
struct Sizes {
  Sizes(const Tensor& tokens, const Tensor& table, std::int64_t column_blocks)
      : rows(tokens.elements()),
        vocabulary(rows_of(table)),
        columns(columns_of(table)),
        blocks(column_blocks),
        width(columns / column_blocks) {}
  bool holds(std::int64_t row) const { return row >= 0 && row < vocabulary; }

  std::int64_t rows, vocabulary, columns, blocks, width;
};

template <typename T>
void run_typed(const EmbeddingForward& kernel, CpuEngine& engine) {
  const Sizes size(kernel.tokens, kernel.table, kernel.blocks);
  const std::int32_t* tokens = elements_of<std::int32_t>(kernel.tokens, size.rows, "tokens");
  const T* table = elements_of<T>(kernel.table, size.vocabulary * size.columns, "table");
  T* output = elements_of<T>(kernel.output, size.rows * size.blocks * size.width, "output");
  constexpr std::int64_t kGrain = 64;  // rows
  engine.threads.for_ranges(size.rows, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int64_t row = tokens[r] - kernel.first_row;
      for (std::int64_t b = 0; b < size.blocks; ++b) {
        T* target = output + (b * size.rows + r) * size.width;
        if (size.holds(row)) {
          std::copy_n(table + row * size.columns + b * size.width, size.width, target);
        } else {
          std::fill_n(target, size.width, T{});
        }
      }
    }
  });
}

/// Each thread sums into some rows of the table: no two write to the same place, and the order of sums is fixed.
template <typename T>
void run_typed(const EmbeddingBackward& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const Sizes size(kernel.tokens, kernel.d_table, kernel.blocks);
  const std::int64_t elements = size.vocabulary * size.columns;
  const std::int32_t* tokens = elements_of<std::int32_t>(kernel.tokens, size.rows, "tokens");
  const T* d_output =
      elements_of<T>(kernel.d_output, size.rows * size.blocks * size.width, "d_output");
  const WideOutput<T> d_table(engine.cache, elements_of<T>(kernel.d_table, elements, "d_table"),
                              elements);
  W* sums = d_table.data();
  constexpr std::int64_t kGrain = 64;  // rows of the table
  engine.threads.for_ranges(
      size.vocabulary, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
        std::fill(sums + begin * size.columns, sums + end * size.columns, W{0});
        for (std::int64_t r = 0; r < size.rows; ++r) {
          const std::int64_t row = tokens[r] - kernel.first_row;
          if (row < begin || row >= end) continue;
          for (std::int64_t b = 0; b < size.blocks; ++b) {
            const T* source = d_output + (b * size.rows + r) * size.width;
            W* target = sums + row * size.columns + b * size.width;
#pragma omp simd
            for (std::int64_t c = 0; c < size.width; ++c) target[c] += widen(source[c]);
          }
        }
      });
  d_table.store();
}

template <typename T>
void run_typed(const AddPositions& kernel, CpuEngine& engine) {
  const std::int64_t rows = rows_of(kernel.hidden);
  const std::int64_t columns = columns_of(kernel.hidden);
  T* hidden = elements_of<T>(kernel.hidden, rows * columns, "hidden");
  const T* table =
      elements_of<T>(kernel.table, kernel.table.elements() / columns * columns, "table");
  constexpr std::int64_t kGrain = 64;  // rows
  engine.threads.for_ranges(rows, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t r = begin; r < end; ++r) {
      T* row = hidden + r * columns;
      const T* position = table + r % kernel.sequence * columns;
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c)
        row[c] = static_cast<T>(widen(row[c]) + widen(position[c]));
    }
  });
}

template <typename T>
void run_typed(const PositionsBackward& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const std::int64_t rows = rows_of(kernel.d_hidden);
  const std::int64_t columns = columns_of(kernel.d_hidden);
  const std::int64_t positions = kernel.d_table.elements() / columns;
  const T* d_hidden = elements_of<T>(kernel.d_hidden, rows * columns, "d_hidden");
  const WideOutput<T> d_table(engine.cache,
                              elements_of<T>(kernel.d_table, positions * columns, "d_table"),
                              positions * columns);
  W* sums = d_table.data();
  constexpr std::int64_t kGrain = 32;  // positions
  engine.threads.for_ranges(positions, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t p = begin; p < end; ++p) {
      W* target = sums + p * columns;
      std::fill_n(target, columns, W{0});
      if (p >= kernel.sequence) continue;
      for (std::int64_t r = p; r < rows; r += kernel.sequence) {
        const T* source = d_hidden + r * columns;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) target[c] += widen(source[c]);
      }
    }
  });
  d_table.store();
}

}  // namespace

void run(const EmbeddingForward& kernel, CpuEngine& engine) {
  with_float_type(kernel.table.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const EmbeddingBackward& kernel, CpuEngine& engine) {
  with_float_type(kernel.d_table.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const AddPositions& kernel, CpuEngine& engine) {
  with_float_type(kernel.hidden.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const PositionsBackward& kernel, CpuEngine& engine) {
  with_float_type(kernel.d_hidden.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
