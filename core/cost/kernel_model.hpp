#pragma once
// How long a kernel takes on a GPU: the tile/wave roofline for GEMMs, a saturating rate for attention, bytes over
// reached bandwidth for the rest. Pure arithmetic; equations, sources and measured errors are in core/cost/README.md.

#include <unordered_map>

#include "core/backend/kernel.hpp"
#include "core/cost/gpu_spec.hpp"

namespace fourfold {

/// Whether the GPU is at its power limit (a training run) or runs short bursts at boost clock (a benchmark).
enum class ClockMode { training, benchmark };

class KernelModel {
 public:
  explicit KernelModel(GpuSpec gpu, ClockMode mode = ClockMode::training);

  /// Time from start to end on an otherwise idle GPU, launch gap included.
  Seconds time(const Kernel& kernel) const;

  /// c (m x n) = a (m x k) b (k x n), BLAS convention (column-major), element size in bytes.
  Seconds gemm_time(GemmLayout layout, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                    Bytes element_size, Bytes output_element_size) const;

  const GpuSpec& gpu() const { return gpu_; }

 private:
  GpuSpec gpu_;
  ClockMode mode_;
};

}  // namespace fourfold
