// loss = scale sum_r (log sum_v exp(l_rv - max_r) - (l_r,target - max_r)), with the columns v split
// over ranks.

#include <algorithm>
#include <cmath>

#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {

void run(const RowMax& kernel) {
  const std::int64_t rows = rows_of(kernel.logits);
  const std::int64_t columns = columns_of(kernel.logits);
  const Array logits = load(kernel.logits, {rows, columns}, "logits");
  Array output({rows});
  for (std::int64_t r = 0; r < rows; ++r) {
    output(r) = logits(r, std::int64_t{0});
    for (std::int64_t v = 1; v < columns; ++v) output(r) = std::max(output(r), logits(r, v));
  }
  store(output, kernel.output, "output");
}

void run(const SoftmaxSums& kernel) {
  const std::int64_t rows = rows_of(kernel.logits);
  const std::int64_t columns = columns_of(kernel.logits);
  const Array logits = load(kernel.logits, {rows, columns}, "logits");
  const Array maximum = load(kernel.maximum, {rows}, "maximum");
  const Array targets = load(kernel.targets, {rows}, "targets");
  Array output({rows, 2});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t v = 0; v < columns; ++v) output(r, 0) += std::exp(logits(r, v) - maximum(r));
    const std::int64_t target = static_cast<std::int64_t>(targets(r)) - kernel.first_column;
    if (target >= 0 && target < columns) output(r, 1) = logits(r, target) - maximum(r);
  }
  store(output, kernel.output, "output");
}

void run(const CrossEntropyLoss& kernel) {
  const std::int64_t rows = kernel.sums.elements() / 2;
  const Array sums = load(kernel.sums, {rows, 2}, "sums");
  Array loss = load(kernel.loss, {1}, "loss");
  for (std::int64_t r = 0; r < rows; ++r)
    loss(0) += kernel.scale * (std::log(sums(r, 0)) - sums(r, 1));
  store(loss, kernel.loss, "loss");
}

void run(const CrossEntropyBackward& kernel) {
  const std::int64_t rows = rows_of(kernel.logits);
  const std::int64_t columns = columns_of(kernel.logits);
  const Array logits = load(kernel.logits, {rows, columns}, "logits");
  const Array maximum = load(kernel.maximum, {rows}, "maximum");
  const Array sums = load(kernel.sums, {rows, 2}, "sums");
  const Array targets = load(kernel.targets, {rows}, "targets");
  Array d_logits({rows, columns});
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t target = static_cast<std::int64_t>(targets(r)) - kernel.first_column;
    for (std::int64_t v = 0; v < columns; ++v) {
      const double probability = std::exp(logits(r, v) - maximum(r)) / sums(r, 0);
      d_logits(r, v) = kernel.scale * (probability - (v == target ? 1.0 : 0.0));
    }
  }
  store(d_logits, kernel.d_logits, "d_logits");
}

}  // namespace fourfold::real
