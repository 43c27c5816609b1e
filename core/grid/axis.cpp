#include "core/grid/axis.hpp"

namespace fourfold {

std::string_view name_of(Axis axis) {
  switch (axis) {
    case Axis::x: return "x";
    case Axis::y: return "y";
    case Axis::z: return "z";
    case Axis::data: return "data";
    case Axis::pipe: return "pipe";
  }
  return "?";
}

std::string name_of(AxisSet axes) {
  std::string name;
  for (Axis axis : kAllAxes) {
    if (!axes.contains(axis)) continue;
    if (!name.empty()) name += '+';
    name += name_of(axis);
  }
  return name.empty() ? "none" : name;
}

}  // namespace fourfold
