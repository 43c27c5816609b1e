#pragma once
// How long a kernel takes on a GPU: the tile/wave roofline for GEMMs, a saturating rate for
// attention, bytes over reached bandwidth for the rest. Pure arithmetic; equations, sources and
// measured errors are in core/cost/README.md.

#include <unordered_map>

#include "core/backend/kernel.hpp"
#include "core/cost/gemm_model.hpp"
#include "core/cost/gpu_spec.hpp"

namespace fourfold {

/// Not thread-safe: times of GEMMs are kept per shape. Give each thread a model of its own.
class KernelModel {
 public:
  /// `slowdown`: how many times longer than the modelled GPU this one takes for any kernel (gpu_fleet.hpp).
  explicit KernelModel(GpuSpec gpu, ClockMode mode = ClockMode::training, double slowdown = 1.0);

  /// Time from start to end on an otherwise idle GPU, the gap to the next kernel included.
  Seconds time(const Kernel& kernel) const;
  Seconds time(const GemmShape& shape) const;

  /// How many times longer kernels take while collectives are in flight.
  double beside_collectives() const { return 1.0 + gpu_.overlap_slowdown; }

  const GpuSpec& gpu() const { return gpu_; }
  ClockMode mode() const { return mode_; }

 private:
  Seconds modelled_time(const Kernel& kernel) const;

  GpuSpec gpu_;
  ClockMode mode_;
  double slowdown_;
  mutable std::unordered_map<GemmShape, Seconds, GemmShapeHash> gemm_times_;
};

}  // namespace fourfold
