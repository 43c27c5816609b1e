#pragma once

#include <cstdint>

namespace fourfold {

/// Whether the GPU is at its power limit, as in a training run, or runs short bursts at boost
/// clock, as in a benchmark.
enum class ClockMode : std::uint8_t { training, benchmark };

}  // namespace fourfold
