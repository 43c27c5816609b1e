#pragma once
// bfloat16: the upper half of an fp32 number (8 exponent bits, 7 mantissa bits).

#include <bit>
#include <cstdint>

namespace fourfold::real {

struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  /// Rounds to nearest, ties to even; NaN stays NaN.
  explicit BFloat16(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    if (value != value) {
      bits = static_cast<std::uint16_t>(
          (wide >> 16U) | 0x40U);  // quiet, so that the mantissa is not cut to infinity
      return;
    }
    const std::uint32_t tie_to_even = (wide >> 16U) & 1U;
    bits = static_cast<std::uint16_t>((wide + 0x7fffU + tie_to_even) >> 16U);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
};

}  // namespace fourfold::real
