#pragma once
// Quantities are held in SI units inside the code: bytes, seconds, FLOPs, bytes per second.
// Names at the edges (JSON keys, flags, columns) carry the unit: bandwidth_GBps, memory_GiB, latency_us.
// As in the field: GB = 1e9 bytes, GiB = 2^30 bytes, one multiply-add = 2 FLOPs.

#include <cstdint>

namespace fourfold {

using Bytes = std::int64_t;
using Flops = double;
using Seconds = double;
using BytesPerSecond = double;

inline constexpr double kKilo = 1e3;
inline constexpr double kMega = 1e6;
inline constexpr double kGiga = 1e9;
inline constexpr double kTera = 1e12;
inline constexpr double kPeta = 1e15;
inline constexpr double kMicro = 1e-6;
inline constexpr double kGiB = 1073741824.0;

}  // namespace fourfold
