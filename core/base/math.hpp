#pragma once
// Small integer maths with errors that name the operands.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fourfold {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// All divisors of n > 0, ascending.
std::vector<std::int64_t> divisors(std::int64_t n);

/// value / divisor, or ShapeError "heads 56 is not divisible by grid.x 16; choose 1, 2, 4, 7, 8, ...".
std::int64_t divide_exactly(std::int64_t value, std::string_view value_name, std::int64_t divisor,
                            std::string_view divisor_name);

/// a * b, or ConfigError naming `what` when the product does not fit 64 bits.
std::int64_t multiply_checked(std::int64_t a, std::int64_t b, std::string_view what);

}  // namespace fourfold
