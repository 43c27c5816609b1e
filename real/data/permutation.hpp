#pragma once
// A shuffled order of 0 ... n - 1 that is computed, not stored.

#include <cstdint>

namespace fourfold::real {

/// A bijection chosen by `key`: a balanced Feistel network (Luby & Rackoff 1988) over the next power of four, whose
/// values outside the range are mapped again until they fall inside (cycle walking, Black & Rogaway 2002).
class Permutation {
 public:
  /// size >= 1.
  Permutation(std::uint64_t key, std::int64_t size);

  /// The element at `index`, both in 0 ... size - 1.
  std::int64_t operator()(std::int64_t index) const;

 private:
  std::uint64_t mix(std::uint64_t value) const;

  std::uint64_t key_;
  std::uint64_t size_;
  unsigned half_bits_;
};

}  // namespace fourfold::real
