#include "real/train/peak_flops.hpp"

#include <algorithm>
#include <chrono>

#include "core/backend/ops.hpp"
#include "real/checkpoint/host_sum.hpp"

namespace fourfold::real {
namespace {

using Clock = std::chrono::steady_clock;

/// FLOP/s of the best of a few products of size x size matrices.
double measure_product(RankContext& context, DType dtype, std::int64_t size) {
  constexpr int kRepetitions = 3;
  const Tensor a = zeros(context, {size, size}, dtype, MemoryKind::workspace);
  const Tensor b = zeros(context, {size, size}, dtype, MemoryKind::workspace);
  const Tensor c = zeros(context, {size, size}, dtype, MemoryKind::workspace);
  const Kernel product = Gemm{a, b, c};
  double best = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    context.device.synchronize();
    const auto begin = Clock::now();
    launch(context, product);
    context.device.synchronize();
    best = std::max(best,
                    flops(product) / std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

double measure(RankContext& context, DType dtype) {
  constexpr std::int64_t kSmall = 128, kLarge = 1024;
  constexpr double kFast = 1e10;  // the large product takes less than about 0.2 s
  const double small = measure_product(context, dtype, kSmall);
  return small < kFast ? small : measure_product(context, dtype, kLarge);
}

}  // namespace

double job_peak_flops(RankContext& context, DType dtype, std::optional<double> given) {
  const double own = given ? *given : measure(context, dtype);
  return sum_over_ranks(context, {own})[0];
}

}  // namespace fourfold::real
