#pragma once
// Counter-based random numbers: a pure function of (key, index), so that a value belongs to a global element and
// does not depend on the grid, on the order of generation or on the number of threads.

#include <cstdint>
#include <string_view>

namespace fourfold {

/// A key for the stream of numbers that belongs to `name` under `seed`.
std::uint64_t random_key(std::uint64_t seed, std::string_view name);
/// 64 uniformly distributed bits (two rounds of the SplitMix64 finaliser, Steele et al. 2014).
std::uint64_t random_bits(std::uint64_t key, std::uint64_t index);
/// Uniform in (0, 1).
double random_uniform(std::uint64_t key, std::uint64_t index);
/// Standard normal (Box-Muller).
double random_normal(std::uint64_t key, std::uint64_t index);

}  // namespace fourfold
