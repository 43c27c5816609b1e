#include "real/cpu/reduce.hpp"

#include <algorithm>
#include <array>

#include "real/cpu/operands.hpp"

namespace fourfold::real::cpu {
namespace {

/// Elements that are summed at a time, in a buffer that stays in the nearest cache.
constexpr std::int64_t kRun = 1024;

template <typename T>
void reduce_run(Reduction reduction, std::span<const std::byte* const> members, std::int64_t begin,
                std::int64_t count, T* output) {
  std::array<Wide<T>, kRun> sums;
  convert(reinterpret_cast<const T*>(members.front()) + begin, sums.data(), count);
  for (const std::byte* member : members.subspan(1)) {
    const T* values = reinterpret_cast<const T*>(member) + begin;
    if (reduction == Reduction::sum) {
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i)
        sums[static_cast<std::size_t>(i)] += widen(values[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        Wide<T>& largest = sums[static_cast<std::size_t>(i)];
        largest = std::max(largest, widen(values[i]));
      }
    }
  }
  convert(sums.data(), output + begin, count);
}

}  // namespace

void reduce_members(DType dtype, Reduction reduction, std::span<const std::byte* const> members,
                    std::int64_t count, std::byte* output, CpuEngine& engine) {
  with_float_type(dtype, [&](auto type) {
    using T = decltype(type);
    engine.threads.for_ranges(count, 16 * kRun, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t at = begin; at < end; at += kRun) {
        reduce_run<T>(reduction, members, at, std::min(kRun, end - at),
                      reinterpret_cast<T*>(output));
      }
    });
  });
}

}  // namespace fourfold::real::cpu
