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
  explicit KernelModel(GpuSpec gpu, ClockMode mode = ClockMode::training);

  /// Time from start to end on an otherwise idle GPU, the gap to the next kernel included.
  Seconds time(const Kernel& kernel) const;
  Seconds time(const GemmShape& shape) const;

  const GpuSpec& gpu() const { return gpu_; }
  ClockMode mode() const { return mode_; }

 private:
  GpuSpec gpu_;
  ClockMode mode_;
  mutable std::unordered_map<GemmShape, Seconds, GemmShapeHash> gemm_times_;
};

}  // namespace fourfold
