#pragma once
// Element types. Names as PyTorch prints them.

#include <cstdint>
#include <string_view>

#include "core/base/units.hpp"

namespace fourfold {

enum class DType : std::uint8_t { float64, float32, bfloat16, int32 };

constexpr Bytes size_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return 8;
    case DType::float32:
    case DType::int32: return 4;
    case DType::bfloat16: return 2;
  }
  return 0;
}

std::string_view name_of(DType dtype);

/// "bf16", "fp32", "fp64" (also "bfloat16", "float32", "float64"). Throws ConfigError.
DType parse_dtype(std::string_view text);

/// The type in which sums, statistics, gradients and optimizer states are kept: fp32, or fp64 when training in fp64.
constexpr DType wide(DType dtype) { return dtype == DType::float64 ? DType::float64 : DType::float32; }

}  // namespace fourfold
