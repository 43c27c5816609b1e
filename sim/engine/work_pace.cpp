#include "sim/engine/work_pace.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/base/counter_random.hpp"

namespace fourfold::sim {

WorkPace::WorkPace(const Disturbances& disturbances, const Folding& folding)
    : sigma_(disturbances.jitter_sigma), slowness_(folding.representative.size(), 1.0) {
  for (const SlowRank& slow : disturbances.slow_ranks) {
    const int replayed = folding.class_of_rank[static_cast<std::size_t>(slow.rank)];
    slowness_[static_cast<std::size_t>(replayed)] = 1.0 / slow.speed;
  }
  if (sigma_ == 0) return;
  for (int rank : folding.representative) {
    jitter_keys_.push_back(random_key(disturbances.seed, fmt::format("rank {}", rank)));
  }
}

double WorkPace::jitter(int rank, int first_kernel) const {
  const std::uint64_t key = jitter_keys_[static_cast<std::size_t>(rank)];
  const double normal = random_normal(key, static_cast<std::uint64_t>(first_kernel));
  return std::exp(sigma_ * normal - sigma_ * sigma_ / 2);
}

}  // namespace fourfold::sim
