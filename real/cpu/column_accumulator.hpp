#pragma once

#include <algorithm>

#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {

/// Column sums of a matrix whose rows are shared out to threads: each thread adds to a row of its own, and the rows are
/// added up at the end, in order.
template <typename W>
class ColumnAccumulator {
 public:
  ColumnAccumulator(CpuEngine& engine, std::int64_t columns)
      : columns_(columns), rows_(engine.threads.threads()), sums_(engine.cache, rows_ * columns) {
    std::fill_n(sums_.data(), rows_ * columns, W{0});
  }

  W* of(int thread) const { return sums_.data() + thread * columns_; }

  void add_to(W* totals) const {
    for (std::int64_t row = 0; row < rows_; ++row) {
      const W* sums = sums_.data() + row * columns_;
      for (std::int64_t c = 0; c < columns_; ++c) totals[c] += sums[c];
    }
  }

 private:
  std::int64_t columns_, rows_;
  Scratch<W> sums_;
};

}  // namespace fourfold::real::cpu
