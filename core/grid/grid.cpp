#include "core/grid/grid.hpp"

#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"

namespace fourfold {
namespace {

int at(const Coordinate& coordinate, Axis axis) { return coordinate[static_cast<std::size_t>(axis)]; }

}  // namespace

Grid::Grid(int x, int y, int z, int data, AxisOrder order) : sizes_{x, y, z, data, 1}, order_(order) {
  std::int64_t product = 1;
  for (Axis axis : kAllAxes) {
    if (size(axis) < 1) {
      throw ConfigError(fmt::format("grid.{} is {}; every axis must be at least 1", name_of(axis), size(axis)));
    }
    product = multiply_checked(product, size(axis), "grid product");
    if (product > std::numeric_limits<int>::max()) {
      throw ConfigError(fmt::format("grid {} has more ranks than a 32-bit rank number can hold", to_string()));
    }
  }
}

Grid Grid::parse(std::string_view text, AxisOrder order) {
  const auto fail = [&] {
    return ConfigError(fmt::format("grid \"{}\" is not of the form XxYxZxDATA; an example is 4x1x32x8", text));
  };
  std::array<int, 4> sizes{};
  const char* cursor = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && (cursor == end || *cursor++ != 'x')) throw fail();
    const auto [next, error] = std::from_chars(cursor, end, sizes[i]);
    if (error == std::errc::result_out_of_range) {
      throw ConfigError(fmt::format("grid \"{}\" holds a number too large for a rank count", text));
    }
    if (error != std::errc{}) throw fail();
    cursor = next;
  }
  if (cursor != end) throw fail();
  return Grid(sizes[0], sizes[1], sizes[2], sizes[3], order);
}

int Grid::size(AxisSet axes) const {
  int product = 1;
  for (Axis axis : kAllAxes) {
    if (axes.contains(axis)) product *= size(axis);
  }
  return product;
}

int Grid::world_size() const {
  int product = 1;
  for (int size : sizes_) product *= size;
  return product;
}

Coordinate Grid::coordinate(int rank) const {
  Coordinate coordinate{};
  for (Axis axis : order_) {
    coordinate[static_cast<std::size_t>(axis)] = rank % size(axis);
    rank /= size(axis);
  }
  return coordinate;
}

int Grid::rank(const Coordinate& coordinate) const {
  int rank = 0;
  for (Axis axis : kAllAxes) rank += at(coordinate, axis) * stride(axis);
  return rank;
}

int Grid::stride(Axis axis) const {
  int stride = 1;
  for (Axis inner : order_) {
    if (inner == axis) break;
    stride *= size(inner);
  }
  return stride;
}

ProcessGroup Grid::group(int rank, AxisSet axes) const {
  // Start from the member with coordinate 0 on every axis of the set, then add one axis after the other,
  // innermost first: this lists the members in ascending rank.
  const Coordinate own = coordinate(rank);
  int first = rank;
  for (Axis axis : kAllAxes) {
    if (axes.contains(axis)) first -= at(own, axis) * stride(axis);
  }
  ProcessGroup group{axes, {first}, index_in_group(rank, axes)};
  for (Axis axis : order_) {
    if (!axes.contains(axis)) continue;
    const std::size_t inner = group.ranks.size();
    for (int i = 1; i < size(axis); ++i) {
      for (std::size_t j = 0; j < inner; ++j) group.ranks.push_back(group.ranks[j] + i * stride(axis));
    }
  }
  return group;
}

int Grid::index_in_group(int rank, AxisSet axes) const {
  const Coordinate own = coordinate(rank);
  int index = 0;
  int inner = 1;
  for (Axis axis : order_) {
    if (!axes.contains(axis)) continue;
    index += at(own, axis) * inner;
    inner *= size(axis);
  }
  return index;
}

std::vector<ProcessGroup> Grid::groups(AxisSet axes) const {
  std::vector<ProcessGroup> groups;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (index_in_group(rank, axes) == 0) groups.push_back(group(rank, axes));
  }
  return groups;
}

std::string Grid::to_string() const {
  return fmt::format("{}x{}x{}x{}", size(Axis::x), size(Axis::y), size(Axis::z), size(Axis::data));
}

AxisOrder parse_axis_order(std::string_view text) {
  const auto fail = [&] {
    return ConfigError(fmt::format("axis order \"{}\" must name x, y, z and d (data) once each, innermost first; "
                                   "an example is xyzd",
                                   text));
  };
  if (text.size() != 4) throw fail();
  AxisOrder order{};
  AxisSet seen;
  std::size_t next = 0;
  for (char letter : text) {
    // Pipeline stages lie between the tensor axes and the data axis, as in AxoNN and Megatron-LM.
    Axis axis = Axis::x;
    switch (letter) {
      case 'x': axis = Axis::x; break;
      case 'y': axis = Axis::y; break;
      case 'z': axis = Axis::z; break;
      case 'd': axis = Axis::data; break;
      default: throw fail();
    }
    if (seen.contains(axis)) throw fail();
    seen = seen | axis;
    if (axis == Axis::data) order[next++] = Axis::pipe;
    order[next++] = axis;
  }
  return order;
}

std::vector<Grid> all_grids(int ranks, AxisOrder order) {
  std::vector<Grid> grids;
  for (std::int64_t x : divisors(ranks)) {
    for (std::int64_t y : divisors(ranks / x)) {
      for (std::int64_t z : divisors(ranks / x / y)) {
        const std::int64_t data = ranks / x / y / z;
        grids.emplace_back(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), static_cast<int>(data), order);
      }
    }
  }
  return grids;
}

}  // namespace fourfold
