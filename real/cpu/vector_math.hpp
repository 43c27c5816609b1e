#pragma once
// The exponential in a form that compilers turn into vector instructions; the one of the C library would be called
// for every element. And GELU, which needs nothing else.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace fourfold::real::cpu {

/// exp(x) within 2 units in the last place for -87 <= x <= 88, held constant beyond; NaN stays NaN.
/// exp(x) = 2^k exp(r) with k the nearest integer to x / ln 2 and |r| <= ln 2 / 2, where the Taylor series to r^7
/// leaves less than 0.35^8 / 8! = 6e-9.
inline float exponential(float x) {
  constexpr float kRound =
      12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer, which its low bits hold
  constexpr float kLn2High = 0.693359375F,
                  kLn2Low = -2.12194440e-4F;  // 9 bits, so that k * high is exact
  const float bounded = std::min(std::max(x, -87.0F), 88.0F);
  const float rounded = bounded * std::numbers::log2e_v<float> + kRound;
  const float k = rounded - kRound;
  const float r = (bounded - k * kLn2High) - k * kLn2Low;
  float series = 1.0F / 5040 * r + 1.0F / 720;
  series = series * r + 1.0F / 120;
  series = series * r + 1.0F / 24;
  series = series * r + 1.0F / 6;
  series = series * r + 1.0F / 2;
  series = series * r + 1.0F;
  series = series * r + 1.0F;
  // Adding k to the exponent field multiplies by 2^k.
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(series) +
                              (std::bit_cast<std::uint32_t>(rounded) << 23U));
}
inline double exponential(double x) {
  return std::exp(x);
}

// gelu(u) = u/2 (1 + tanh t) with t = sqrt(2/pi) (u + a u^3) (Hendrycks & Gimpel 2016), and 1/2 (1 + tanh t) is the
// logistic function of 2 t.
template <typename W>
inline constexpr W kGeluSlope = static_cast<W>(0.7978845608028654);  // sqrt(2/pi)
template <typename W>
inline constexpr W kGeluCubic = static_cast<W>(0.044715);

template <typename W>
W gelu_gate(W u) {
  return 1 / (1 + exponential(-2 * kGeluSlope<W> * u * (1 + kGeluCubic<W> * u * u)));
}

template <typename W>
W gelu(W u) {
  return u * gelu_gate(u);
}

template <typename W>
W gelu_derivative(W u) {
  const W gate = gelu_gate(u);
  return gate + 2 * u * gate * (1 - gate) * kGeluSlope<W> * (1 + 3 * kGeluCubic<W> * u * u);
}

}  // namespace fourfold::real::cpu
