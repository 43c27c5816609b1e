#pragma once
// bfloat16: the upper half of an fp32 number (8 exponent bits, 7 mantissa bits).

#include <bit>
#include <cmath>
#include <cstdint>

namespace fourfold::real {

struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  /// Rounds to fp32 and from there to bf16, each to nearest, ties to even; NaN stays NaN.
  explicit BFloat16(double value) {
    const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const std::uint32_t quiet_nan =
        (wide >> 16U) | 0x40U;  // a mantissa cut to zero would be infinity
    const std::uint32_t tie_to_even = (wide >> 16U) & 1U;
    bits = static_cast<std::uint16_t>(std::isnan(value) ? quiet_nan
                                                        : (wide + 0x7fffU + tie_to_even) >> 16U);
  }
  explicit operator double() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
};

}  // namespace fourfold::real
