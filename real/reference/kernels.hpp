#pragma once
// The kernels of core/backend/kernel.hpp, evaluated now, on the calling thread, by their formulas.
// Operands may be the same tensor: everything is read before anything is written.

#include "core/backend/kernel.hpp"

namespace fourfold::real {

// gemm.cpp
void run(const Gemm& kernel);
// attention.cpp
void run(const AttentionForward& kernel);
void run(const AttentionBackward& kernel);
// layer_norm.cpp
void run(const RowMoments& kernel);
void run(const LayerNormForward& kernel);
void run(const LayerNormBackwardSums& kernel);
void run(const LayerNormBackward& kernel);
// elementwise.cpp
void run(const AddBias& kernel);
void run(const BiasGelu& kernel);
void run(const BiasGeluBackward& kernel);
void run(const BiasResidual& kernel);
void run(const Dropout& kernel);
void run(const ColumnSum& kernel);
void run(const Fill& kernel);
void run(const Cast& kernel);
void run(const Accumulate& kernel);
// embedding.cpp
void run(const EmbeddingForward& kernel);
void run(const EmbeddingBackward& kernel);
void run(const AddPositions& kernel);
void run(const PositionsBackward& kernel);
// layout.cpp
void run(const MergeColumns& kernel);
void run(const SplitColumns& kernel);
// cross_entropy.cpp
void run(const RowMax& kernel);
void run(const SoftmaxSums& kernel);
void run(const CrossEntropyLoss& kernel);
void run(const CrossEntropyBackward& kernel);
// optimizer.cpp
void run(const SumOfSquares& kernel);
void run(const AdamW& kernel);

/// Any kernel. Throws ShapeError naming the kernel and the operand that does not fit.
void run_kernel(const Kernel& kernel);

}  // namespace fourfold::real
