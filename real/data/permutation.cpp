#include "real/data/permutation.hpp"

#include <algorithm>
#include <bit>

#include "core/base/counter_random.hpp"

namespace fourfold::real {

Permutation::Permutation(std::uint64_t key, std::int64_t size)
    : key_(key), size_(static_cast<std::uint64_t>(size)) {
  const auto bits = static_cast<unsigned>(std::bit_width(size_ - 1));
  half_bits_ = std::max(1U, (bits + 1) / 2);
}

std::int64_t Permutation::operator()(std::int64_t index) const {
  auto value = static_cast<std::uint64_t>(index);
  do {
    value = mix(value);
  } while (value >= size_);
  return static_cast<std::int64_t>(value);
}

std::uint64_t Permutation::mix(std::uint64_t value) const {
  constexpr std::uint64_t kRounds = 4;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_, right = value & mask;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const std::uint64_t next = left ^ (random_bits(key_ + round, right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace fourfold::real
