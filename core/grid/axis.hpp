#pragma once
// The axes of the rank grid, named as in the paper's Algorithm 1, and sets of them.
//
//   O (m x n) = I (m x k) W (k x n):   rows m over z,   k over y,   n over x,   batch over data.
//
// Beware when reading AxoNN's code: its inner / column group is the paper's y, its outer / row group is x,
// its depth group is z. `pipe` is reserved for pipeline stages.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fourfold {

enum class Axis : std::uint8_t { x, y, z, data, pipe };

inline constexpr int kAxisCount = 5;
inline constexpr std::array<Axis, kAxisCount> kAllAxes = {Axis::x, Axis::y, Axis::z, Axis::data, Axis::pipe};

std::string_view name_of(Axis axis);

/// A set of axes: the ranks of a process group differ exactly in these coordinates.
class AxisSet {
 public:
  constexpr AxisSet() = default;
  constexpr AxisSet(Axis axis) : bits_(bit(axis)) {}  // NOLINT(google-explicit-constructor): an axis is a set of one

  constexpr bool contains(Axis axis) const { return (bits_ & bit(axis)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint8_t bits() const { return bits_; }

  friend constexpr AxisSet operator|(AxisSet a, AxisSet b) {
    AxisSet united;
    united.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
    return united;
  }
  friend constexpr bool operator==(AxisSet, AxisSet) = default;
  friend constexpr auto operator<=>(AxisSet, AxisSet) = default;

 private:
  static constexpr std::uint8_t bit(Axis axis) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(axis)); }
  std::uint8_t bits_ = 0;
};

constexpr AxisSet operator|(Axis a, Axis b) { return AxisSet(a) | AxisSet(b); }

/// The ranks that together hold one copy of the model.
inline constexpr AxisSet kTensorAxes = Axis::x | Axis::y | Axis::z;
/// The ranks that each see other rows of the batch.
inline constexpr AxisSet kBatchAxes = Axis::z | Axis::data;

/// "x", "x+y", "z+data"; "none" for the empty set.
std::string name_of(AxisSet axes);

}  // namespace fourfold
