#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {

void run(const MergeColumns& kernel) {
  const std::int64_t rows = rows_of(kernel.output);
  const std::int64_t width = columns_of(kernel.output) / kernel.blocks;
  const Array input = load(kernel.input, {kernel.blocks, rows, width}, "input");
  Array output({rows, kernel.blocks, width});
  for (std::int64_t b = 0; b < kernel.blocks; ++b) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < width; ++c) output(r, b, c) = input(b, r, c);
    }
  }
  store(output, kernel.output, "output");
}

void run(const SplitColumns& kernel) {
  const std::int64_t rows = rows_of(kernel.input);
  const std::int64_t width = columns_of(kernel.input) / kernel.blocks;
  const Array input = load(kernel.input, {rows, kernel.blocks, width}, "input");
  Array output({kernel.blocks, rows, width});
  for (std::int64_t b = 0; b < kernel.blocks; ++b) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < width; ++c) output(b, r, c) = input(r, b, c);
    }
  }
  store(output, kernel.output, "output");
}

}  // namespace fourfold::real
