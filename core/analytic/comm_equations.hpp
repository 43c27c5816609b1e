#pragma once
// The paper's communication model (Singh et al., SC'24, section V.B): one function per equation.
//
// One linear layer O (m x n) = I (m x k) W (k x n) on a grid G_x x G_y x G_z x G_data, with
//
//   assumptions   rings; a node boundary is crossed as seldom as possible; sending B bytes takes
//                 B / beta, no start-up; communication only; the same beta between any two nodes
//   m             rows of one data-parallel replica (the paper leaves the division by G_data out)
//
// Volumes are in elements per rank, as printed there; times are volumes times bytes per element
// over a bandwidth. A transposed layer swaps G_x and G_y.

#include "core/analytic/bandwidth_table.hpp"
#include "core/grid/grid.hpp"
#include "core/layers/linear.hpp"

namespace fourfold {

/// A linear layer: rows of one replica, inputs, outputs.
struct LinearShape {
  double m = 0, k = 0, n = 0;
  Orientation orientation = Orientation::normal;
};

/// Eq 1: all-gather of W over z, (G_z - 1) k n / (G_x G_y G_z).
double all_gather_z_volume(const LinearShape& layer, const Grid& grid);
/// Eq 2: reduce-scatter of dW over z, (G_z - 1) / G_z k n / (G_x G_y).
double reduce_scatter_z_volume(const LinearShape& layer, const Grid& grid);
/// Eq 3: all-reduce of O in the forward pass, over y: 2 (G_y - 1) / G_y m n / (G_z G_x).
double forward_all_reduce_volume(const LinearShape& layer, const Grid& grid);
/// Eq 4: all-reduce of dI in the backward pass, over x: 2 (G_x - 1) / G_x m k / (G_z G_y).
double backward_all_reduce_volume(const LinearShape& layer, const Grid& grid);
/// Eq 5: all-reduce of the gradient shards over data, 2 (G_data - 1) / G_data k n / (G_x G_y G_z).
double all_reduce_data_volume(const LinearShape& layer, const Grid& grid);

/// How often each volume is communicated, and in what type.
struct CommCounts {
  double gathers = 1;              ///< all-gathers of a weight per micro-batch
  double forward_all_reduces = 1;  ///< per micro-batch
  double element_bytes = 2;        ///< of weights, activations and their gradients
  double gradient_bytes = 2;       ///< of what is reduced over data

  /// The equations as printed.
  static CommCounts paper() { return {}; }
  /// As the authors ran it: activations are recomputed, so that weights are gathered and outputs
  /// reduced twice; gradients are reduced in fp32. From their script (axonn-ai/Megatron-AxoNN,
  /// branch gordon-bell-perlmutter, examples/comm_model.py), except for its treatment of the last
  /// layer of a block: it gives the 4h -> h layer the sizes of h -> 4h, which charges the forward
  /// all-reduce, counted twice, with 4h columns instead of h.
  static CommCounts scripted() { return {2, 2, 2, 4}; }
};

/// Seconds per axis.
struct AxisTimes {
  Seconds x = 0, y = 0, z = 0, data = 0;
  Seconds total() const { return x + y + z + data; }
  AxisTimes& operator+=(const AxisTimes& other);
};

/// Eq 6: the sum of Eqs 1-5 for one layer and one step of `micro_batches` over the layer's m rows.
AxisTimes communication_time(const LinearShape& layer, const Grid& grid, double micro_batches,
                             const CommCounts& counts, const BandwidthTable& bandwidths);

}  // namespace fourfold
