#include "core/base/counter_random.hpp"

#include <cmath>
#include <numbers>

namespace fourfold {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

}  // namespace

std::uint64_t random_key(std::uint64_t seed, std::string_view name) {
  std::uint64_t key = mix(seed + kGolden);
  for (char letter : name) key = mix(key + kGolden + static_cast<unsigned char>(letter));
  return key;
}

std::uint64_t random_bits(std::uint64_t key, std::uint64_t index) { return mix(key ^ mix(index * kGolden + kGolden)); }

double random_uniform(std::uint64_t key, std::uint64_t index) {
  return (static_cast<double>(random_bits(key, index) >> 11) + 0.5) * 0x1.0p-53;
}

double random_normal(std::uint64_t key, std::uint64_t index) {
  const double radius = std::sqrt(-2.0 * std::log(random_uniform(key, 2 * index)));
  return radius * std::cos(2.0 * std::numbers::pi * random_uniform(key, 2 * index + 1));
}

}  // namespace fourfold
