#pragma once
// The grid of ranks: sizes of the axes, the order in which they are laid out, rank <-> coordinate, groups.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid/axis.hpp"
#include "core/grid/process_group.hpp"

namespace fourfold {

/// One index per axis.
using Coordinate = std::array<int, kAxisCount>;

/// Axes from innermost (neighbouring ranks) to outermost.
using AxisOrder = std::array<Axis, kAxisCount>;

/// The paper's order: x innermost, then y, z, data. AxoNN's code puts y innermost ("yxz,data").
inline constexpr AxisOrder kPaperOrder = {Axis::x, Axis::y, Axis::z, Axis::pipe, Axis::data};

class Grid {
 public:
  Grid() : Grid(1, 1, 1, 1) {}
  /// Throws ConfigError unless every size is positive and the product fits an int.
  Grid(int x, int y, int z, int data, AxisOrder order = kPaperOrder);

  /// Parses "4x1x32x8" = x, y, z, data. Throws ConfigError with an example on anything else.
  static Grid parse(std::string_view text, AxisOrder order = kPaperOrder);

  int size(Axis axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
  int size(AxisSet axes) const;
  int world_size() const;
  const AxisOrder& order() const { return order_; }

  Coordinate coordinate(int rank) const;
  int rank(const Coordinate& coordinate) const;

  /// Distance in ranks between neighbours along `axis`: the product of the sizes of all inner axes.
  int stride(Axis axis) const;

  /// The group of `rank` along `axes`.
  ProcessGroup group(int rank, AxisSet axes) const;
  /// Position of `rank` in its group along `axes`, without listing the group.
  int index_in_group(int rank, AxisSet axes) const;
  /// Every group along `axes`; together they partition the world. Ordered by first rank.
  std::vector<ProcessGroup> groups(AxisSet axes) const;

  /// "4x1x32x8".
  std::string to_string() const;

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::array<int, kAxisCount> sizes_;
  AxisOrder order_;
};

/// Parses an axis order such as "xyzd" or "yxzd" (innermost first, d = data). Throws ConfigError.
AxisOrder parse_axis_order(std::string_view text);

/// All grids x * y * z * data = ranks, every factoring, in lexicographic order.
std::vector<Grid> all_grids(int ranks, AxisOrder order = kPaperOrder);

}  // namespace fourfold
