#include "core/cost/gemm_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/math.hpp"

namespace fourfold {
namespace {

constexpr std::array<std::int64_t, 7> kSplits = {1, 2, 3, 4, 6, 8, 12};
constexpr std::int64_t kSmallestSplitDepth = 128;
constexpr std::int64_t kDepthStep = 64;

/// (x^p + y^p)^(1/p), which is between max(x, y) and x + y for p >= 1.
double p_norm(double x, double y, double p) {
  const double larger = std::max(x, y);
  if (larger == 0.0) return 0.0;
  return larger * std::pow(1.0 + std::pow(std::min(x, y) / larger, p), 1.0 / p);
}

/// What a choice of the output tile means for the shape, whatever the split.
struct TileWork {
  double tiles = 0;        ///< T / s
  Seconds time_per_k = 0;  ///< of one tile, for each of its kt multiply-add steps
};

TileWork tile_work(const GemmShape& shape, const GemmTile& tile, const GemmConstants& constants,
                   const GpuSpec& gpu) {
  const double rows = static_cast<double>(tile.rows);
  const double columns = static_cast<double>(tile.columns);
  const double rate = constants.efficiency * gpu.peak_flops_of(shape.dtype) / gpu.multiprocessors;
  const double loss = 1.0 + constants.tile_loss * (64.0 / rows + 64.0 / columns);
  return {.tiles = static_cast<double>(shape.batch * ceil_div(shape.m, tile.rows) *
                                       ceil_div(shape.n, tile.columns)),
          .time_per_k = 2.0 * rows * columns / rate * loss};
}

/// What a choice of the split of k means for the shape, whatever the tile.
struct SplitWork {
  double parts = 1;
  double depth = 0;  ///< kt
  Seconds reduction = 0;
};

/// Summing the fp32 parts of a split k: each is written and read once.
Seconds reduction_time(const GemmShape& shape, std::int64_t parts, const GemmConstants& constants) {
  if (parts == 1) return 0.0;
  const double outputs = static_cast<double>(shape.m) * static_cast<double>(shape.n * shape.batch);
  return constants.reduction_time +
         4.0 * outputs * static_cast<double>(parts + 1) / constants.reduction_bandwidth;
}

std::vector<SplitWork> allowed_splits(const GemmShape& shape, const GemmConstants& constants) {
  std::vector<SplitWork> splits;
  for (const std::int64_t parts : kSplits) {
    if (parts > 1 && shape.k < parts * kSmallestSplitDepth) break;
    splits.push_back(
        {.parts = static_cast<double>(parts),
         .depth = static_cast<double>(kDepthStep * ceil_div(shape.k, kDepthStep * parts)),
         .reduction = reduction_time(shape, parts, constants)});
  }
  return splits;
}

/// W tau, at boost clock.
Seconds compute_time(const TileWork& tile, const SplitWork& split, const GemmConstants& constants,
                     double multiprocessors) {
  const double fill = tile.tiles * split.parts / multiprocessors;
  const double alpha = constants.wave_quantisation;
  const double waves = std::max(1.0, alpha * std::ceil(fill) + (1.0 - alpha) * fill);
  return waves * (tile.time_per_k * split.depth + constants.tile_time);
}

Seconds at_clock(Seconds boost, const GemmConstants& constants, ClockMode mode) {
  if (mode == ClockMode::training) return boost * (1.0 + constants.sustained_clock_loss);
  const double ratio = constants.boost_time / boost;
  return boost * (1.0 + constants.sustained_clock_loss / (1.0 + ratio * ratio));
}

double slow_factor(const GemmShape& shape, const GpuSpec& gpu) {
  for (const SlowProduct& slow : gpu.slow_products) {
    if (slow.layout == shape.layout && slow.m == shape.m && slow.k == shape.k) return slow.factor;
  }
  return 1.0;
}

Seconds memory_time(const GemmShape& shape, const GemmConstants& constants, const GpuSpec& gpu) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const double element = static_cast<double>(size_of(shape.dtype));
  const double bytes = element * (m * k + k * n) + static_cast<double>(shape.output_bytes) * m * n;
  return static_cast<double>(shape.batch) * bytes /
         (constants.memory_efficiency * gpu.memory_bandwidth);
}

}  // namespace

std::size_t GemmShapeHash::operator()(const GemmShape& shape) const {
  std::size_t hash =
      static_cast<std::size_t>(shape.layout) * 8 + static_cast<std::size_t>(shape.dtype);
  for (const std::int64_t value : {shape.m, shape.n, shape.k, shape.batch, shape.output_bytes}) {
    hash = hash * 0x9E3779B97F4A7C15u + static_cast<std::size_t>(value);
    hash ^= hash >> 32;
  }
  return hash;
}

GemmShape blas_shape(const Gemm& gemm) {
  GemmShape shape;
  shape.m = gemm.c.shape[1];
  shape.n = gemm.c.shape[0];
  shape.k = gemm.a.shape[gemm.transpose_a ? 0 : 1];
  shape.dtype = gemm.a.dtype;
  shape.output_bytes = size_of(gemm.c.dtype) * (gemm.accumulate ? 2 : 1);
  if (gemm.transpose_a) {
    shape.layout = GemmLayout::nt;
  } else {
    shape.layout = gemm.transpose_b ? GemmLayout::tn : GemmLayout::nn;
  }
  return shape;
}

namespace {

/// What the library takes for the layout it is asked for.
Seconds library_time(const GemmShape& shape, const GpuSpec& gpu, ClockMode mode) {
  const GemmConstants& constants = gpu.gemm[static_cast<std::size_t>(shape.layout)];
  const Seconds memory = memory_time(shape, constants, gpu);
  const std::vector<SplitWork> splits = allowed_splits(shape, constants);
  Seconds best = std::numeric_limits<double>::infinity();
  for (const GemmTile& tile : gpu.tiles) {
    const TileWork work = tile_work(shape, tile, constants, gpu);
    for (const SplitWork& split : splits) {
      const Seconds compute =
          at_clock(compute_time(work, split, constants, gpu.multiprocessors), constants, mode);
      if (compute + split.reduction >= best) continue;  // cannot win; spares the powers below
      best = std::min(best, p_norm(compute, memory, constants.overlap_exponent) + split.reduction);
    }
  }
  return constants.scale * (constants.launch_time + best) * slow_factor(shape, gpu);
}

constexpr bool transposes_a(GemmLayout layout) {
  return layout == GemmLayout::tn;
}
constexpr bool transposes_b(GemmLayout layout) {
  return layout == GemmLayout::nt;
}

/// Reading and writing what has to change from one layout to the other.
Seconds relayout_time(const GemmShape& shape, GemmLayout layout, const GpuSpec& gpu) {
  const auto copy = [&](std::int64_t rows, std::int64_t columns) {
    const double elements = static_cast<double>(shape.batch * rows) * static_cast<double>(columns);
    const double bytes = 2.0 * elements * static_cast<double>(size_of(shape.dtype));
    return gpu.memory_bound.launch_time +
           bytes / (gpu.memory_bound.elementwise * gpu.memory_bandwidth);
  };
  Seconds time = 0;
  if (transposes_a(shape.layout) != transposes_a(layout)) time += copy(shape.m, shape.k);
  if (transposes_b(shape.layout) != transposes_b(layout)) time += copy(shape.k, shape.n);
  return time;
}

}  // namespace

Seconds gemm_time(const GemmShape& shape, const GpuSpec& gpu, ClockMode mode) {
  Seconds best = library_time(shape, gpu, mode);
  if (!gpu.tunes_products) return best;
  for (const GemmLayout layout : {GemmLayout::nn, GemmLayout::nt, GemmLayout::tn}) {
    if (layout == shape.layout) continue;
    GemmShape other = shape;
    other.layout = layout;
    best = std::min(best, library_time(other, gpu, mode) + relayout_time(shape, layout, gpu));
  }
  return best;
}

}  // namespace fourfold
