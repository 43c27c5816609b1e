#include "core/base/math.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"

namespace fourfold {

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> low, high;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    low.push_back(d);
    if (d != n / d) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

std::int64_t divide_exactly(std::int64_t value, std::string_view value_name, std::int64_t divisor,
                            std::string_view divisor_name) {
  if (value > 0 && divisor > 0 && value % divisor == 0) return value / divisor;
  if (value <= 0 || divisor <= 0) {
    throw ShapeError(fmt::format("{} {} and {} {} must be positive", value_name, value, divisor_name, divisor));
  }
  constexpr std::size_t kMaxShown = 12;
  std::vector<std::int64_t> choices = divisors(value);
  const bool cut = choices.size() > kMaxShown;
  if (cut) choices.resize(kMaxShown);
  throw ShapeError(fmt::format("{} {} is not divisible by {} {}; choose {}{}", value_name, value, divisor_name,
                               divisor, fmt::join(choices, ", "), cut ? ", ..." : ""));
}

std::int64_t multiply_checked(std::int64_t a, std::int64_t b, std::string_view what) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ConfigError(fmt::format("{} = {} x {} is too large for 64 bits", what, a, b));
  }
  return product;
}

}  // namespace fourfold
