#pragma once
// The kernels of core/backend/kernel.hpp on CPU cores: OpenBLAS for products of matrices, single passes over rows that
// compilers vectorise for the rest. Storage in fp64, fp32 or bf16, arithmetic in fp64 or fp32.
// Element-wise kernels may write to the memory they read.

#include "core/backend/kernel.hpp"
#include "real/cpu/block_cache.hpp"
#include "real/cpu/thread_pool.hpp"

namespace fourfold::real::cpu {

/// What kernels run on.
struct CpuEngine {
  ThreadPool& threads;
  BlockCache& cache;  ///< for scratch memory; the calling thread's only
};

// gemm.cpp
void run(const Gemm& kernel, CpuEngine& engine);
// attention_forward.cpp, attention_backward.cpp
void run(const AttentionForward& kernel, CpuEngine& engine);
void run(const AttentionBackward& kernel, CpuEngine& engine);
// layer_norm.cpp
void run(const RowMoments& kernel, CpuEngine& engine);
void run(const LayerNormForward& kernel, CpuEngine& engine);
void run(const LayerNormBackwardSums& kernel, CpuEngine& engine);
void run(const LayerNormBackward& kernel, CpuEngine& engine);
// elementwise.cpp
void run(const AddBias& kernel, CpuEngine& engine);
void run(const BiasGelu& kernel, CpuEngine& engine);
void run(const BiasGeluBackward& kernel, CpuEngine& engine);
void run(const BiasResidual& kernel, CpuEngine& engine);
void run(const Dropout& kernel, CpuEngine& engine);
void run(const Fill& kernel, CpuEngine& engine);
void run(const Cast& kernel, CpuEngine& engine);
void run(const Accumulate& kernel, CpuEngine& engine);
// column_sum.cpp
void run(const ColumnSum& kernel, CpuEngine& engine);
// embedding.cpp
void run(const EmbeddingForward& kernel, CpuEngine& engine);
void run(const EmbeddingBackward& kernel, CpuEngine& engine);
void run(const AddPositions& kernel, CpuEngine& engine);
void run(const PositionsBackward& kernel, CpuEngine& engine);
// layout.cpp
void run(const MergeColumns& kernel, CpuEngine& engine);
void run(const SplitColumns& kernel, CpuEngine& engine);
// cross_entropy.cpp
void run(const RowMax& kernel, CpuEngine& engine);
void run(const SoftmaxSums& kernel, CpuEngine& engine);
void run(const CrossEntropyLoss& kernel, CpuEngine& engine);
void run(const CrossEntropyBackward& kernel, CpuEngine& engine);
// optimizer.cpp
void run(const SumOfSquares& kernel, CpuEngine& engine);
void run(const AdamW& kernel, CpuEngine& engine);

/// Throws BackendError on a processor that lacks the instructions these files were compiled for.
void check_processor();

/// Any kernel. Throws ShapeError naming the kernel and the operand that does not fit.
void run_kernel(const Kernel& kernel, CpuEngine& engine);

}  // namespace fourfold::real::cpu
