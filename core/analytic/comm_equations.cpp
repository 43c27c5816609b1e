#include "core/analytic/comm_equations.hpp"

namespace fourfold {
namespace {

/// Sizes of the axes as the equations name them, x and y swapped for transposed layers.
struct Sizes {
  Axis x_axis, y_axis;
  double x, y, z, data;
};

Sizes sizes_of(const LinearShape& layer, const Grid& grid) {
  const bool normal = layer.orientation == Orientation::normal;
  const Axis x = normal ? Axis::x : Axis::y;
  const Axis y = normal ? Axis::y : Axis::x;
  return {x,
          y,
          static_cast<double>(grid.size(x)),
          static_cast<double>(grid.size(y)),
          static_cast<double>(grid.size(Axis::z)),
          static_cast<double>(grid.size(Axis::data))};
}

}  // namespace

double all_gather_z_volume(const LinearShape& layer, const Grid& grid) {
  const Sizes g = sizes_of(layer, grid);
  return (g.z - 1) * layer.k * layer.n / (g.x * g.y * g.z);
}

double reduce_scatter_z_volume(const LinearShape& layer, const Grid& grid) {
  const Sizes g = sizes_of(layer, grid);
  return (g.z - 1) / g.z * layer.k * layer.n / (g.x * g.y);
}

double forward_all_reduce_volume(const LinearShape& layer, const Grid& grid) {
  const Sizes g = sizes_of(layer, grid);
  return 2 * (g.y - 1) / g.y * layer.m * layer.n / (g.z * g.x);
}

double backward_all_reduce_volume(const LinearShape& layer, const Grid& grid) {
  const Sizes g = sizes_of(layer, grid);
  return 2 * (g.x - 1) / g.x * layer.m * layer.k / (g.z * g.y);
}

double all_reduce_data_volume(const LinearShape& layer, const Grid& grid) {
  const Sizes g = sizes_of(layer, grid);
  return 2 * (g.data - 1) / g.data * layer.k * layer.n / (g.x * g.y * g.z);
}

AxisTimes& AxisTimes::operator+=(const AxisTimes& other) {
  x += other.x;
  y += other.y;
  z += other.z;
  data += other.data;
  return *this;
}

AxisTimes communication_time(const LinearShape& layer, const Grid& grid, double micro_batches,
                             const CommCounts& counts, const BandwidthTable& bandwidths) {
  const Sizes g = sizes_of(layer, grid);
  const double weights = micro_batches * (counts.gathers * all_gather_z_volume(layer, grid) +
                                          reduce_scatter_z_volume(layer, grid));
  const Seconds forward = counts.forward_all_reduces * counts.element_bytes *
                          forward_all_reduce_volume(layer, grid) / bandwidths.of(g.y_axis, grid);
  const Seconds backward = counts.element_bytes * backward_all_reduce_volume(layer, grid) /
                           bandwidths.of(g.x_axis, grid);
  AxisTimes times;
  (g.y_axis == Axis::y ? times.y : times.x) += forward;
  (g.x_axis == Axis::x ? times.x : times.y) += backward;
  times.z = counts.element_bytes * weights / bandwidths.of(Axis::z, grid);
  times.data =
      counts.gradient_bytes * all_reduce_data_volume(layer, grid) / bandwidths.of(Axis::data, grid);
  return times;
}

}  // namespace fourfold
