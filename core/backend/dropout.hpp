#pragma once
// Dropout whose mask is a function of the global element: it does not depend on the grid, and a recomputed layer drops
// the same elements again.

#include <cstdint>

#include "core/base/counter_random.hpp"

namespace fourfold {

/// The mask of a local block (rows, columns) inside a global matrix of `columns` columns.
struct DropoutMask {
  double probability = 0.0;  ///< of dropping an element; 0 switches dropout off
  std::uint64_t key = 0;     ///< of the layer and step
  std::int64_t first_row = 0, first_column = 0, columns = 0;

  /// What a kept element is multiplied by, so that the expectation stays the same; dropped ones by 0.
  double factor(std::int64_t row, std::int64_t column) const {
    if (probability == 0.0) return 1.0;
    const std::int64_t element = (first_row + row) * columns + first_column + column;
    return random_uniform(key, static_cast<std::uint64_t>(element)) < probability ? 0.0 : 1.0 / (1.0 - probability);
  }
};

}  // namespace fourfold
