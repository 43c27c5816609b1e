#include <cstring>

#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {
namespace {

/// A matrix as (R, blocks w) and as `blocks` matrices (R, w), in bytes: nothing but copies of rows.
struct Sizes {
  Sizes(const Tensor& joined, const Tensor& split, std::int64_t column_blocks)
      : rows(rows_of(joined)),
        blocks(column_blocks),
        width(static_cast<std::size_t>(columns_of(joined) / blocks * size_of(joined.dtype))) {
    check_operand(split, joined.dtype, joined.elements(), "the split matrix");
  }

  std::byte* joined_row(const Tensor& matrix, std::int64_t row, std::int64_t block) const {
    return first(matrix) + static_cast<std::size_t>(row * blocks + block) * width;
  }
  std::byte* split_row(const Tensor& matrix, std::int64_t row, std::int64_t block) const {
    return first(matrix) + static_cast<std::size_t>(block * rows + row) * width;
  }
  static std::byte* first(const Tensor& tensor) {
    return tensor.storage->data() + tensor.offset * size_of(tensor.dtype);
  }

  std::int64_t rows, blocks;
  std::size_t width;
};

template <typename CopyRow>
void for_rows(const Sizes& size, CpuEngine& engine, CopyRow copy_row) {
  constexpr std::int64_t kGrain = 64;
  engine.threads.for_ranges(size.rows, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t b = 0; b < size.blocks; ++b) {
      for (std::int64_t r = begin; r < end; ++r) copy_row(r, b);
    }
  });
}

}  // namespace

void run(const MergeColumns& kernel, CpuEngine& engine) {
  const Sizes size(kernel.output, kernel.input, kernel.blocks);
  for_rows(size, engine, [&](std::int64_t r, std::int64_t b) {
    std::memcpy(size.joined_row(kernel.output, r, b), size.split_row(kernel.input, r, b),
                size.width);
  });
}

void run(const SplitColumns& kernel, CpuEngine& engine) {
  const Sizes size(kernel.input, kernel.output, kernel.blocks);
  for_rows(size, engine, [&](std::int64_t r, std::int64_t b) {
    std::memcpy(size.split_row(kernel.output, r, b), size.joined_row(kernel.input, r, b),
                size.width);
  });
}

}  // namespace fourfold::real::cpu
