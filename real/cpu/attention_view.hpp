#pragma once
// Causal attention of one head in one sequence, in blocks of queries. Queries [i, i + m) see keys [0, i + m), so that a
// block of scores is (m, i + m): half of the square is never computed, and a block stays in the cache.

#include <algorithm>
#include <cmath>

#include "core/backend/kernel.hpp"
#include "real/cpu/blas.hpp"
#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {

struct AttentionSizes {
  template <typename AttentionKernel>
  explicit AttentionSizes(const AttentionKernel& kernel)
      : sequences(kernel.output.elements() / (kernel.sequence * kernel.heads * kernel.head_dim)),
        sequence(kernel.sequence),
        heads(kernel.heads),
        head_dim(kernel.head_dim) {}

  std::int64_t rows() const { return sequences * sequence; }
  std::int64_t output_stride() const { return heads * head_dim; }
  std::int64_t qkv_stride() const { return 3 * heads * head_dim; }
  std::int64_t output_elements() const { return rows() * output_stride(); }
  std::int64_t qkv_elements() const { return rows() * qkv_stride(); }
  std::int64_t saved_elements(AttentionAlgorithm algorithm) const {
    return rows() * heads * (algorithm == AttentionAlgorithm::flash ? 1 : sequence);
  }
  /// One head in one sequence is the unit of work.
  std::int64_t units() const { return sequences * heads; }
  double scale() const { return 1.0 / std::sqrt(static_cast<double>(head_dim)); }

  std::int64_t sequences, sequence, heads, head_dim;
};

/// Queries in a block.
inline constexpr std::int64_t kQueryBlock = 64;

/// Where unit `unit` = sequence * heads + head begins in (R, 3, heads, d), in (R, heads, d) and in (.., heads, s).
struct AttentionUnit {
  AttentionUnit(const AttentionSizes& size, std::int64_t unit)
      : first_row(unit / size.heads * size.sequence),
        head(unit % size.heads),
        query(first_row * size.qkv_stride() + head * size.head_dim),
        key(query + size.output_stride()),
        value(key + size.output_stride()),
        output(first_row * size.output_stride() + head * size.head_dim),
        row(unit * size.sequence) {}

  std::int64_t first_row, head;
  std::int64_t query, key, value, output;
  std::int64_t row;  ///< of the first query among (sequences, heads, s)
};

/// Multiplies the probabilities p of queries [first, first + m) and their n keys by the dropout mask.
template <typename W>
void drop_probabilities(const DropoutMask& mask, const AttentionSizes& size,
                        const AttentionUnit& unit, std::int64_t first, std::int64_t m,
                        std::int64_t n, W* p) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      p[i * n + j] *=
          static_cast<W>(mask.factor(unit.first_row + first + i, unit.head * size.sequence + j));
    }
  }
}

}  // namespace fourfold::real::cpu
