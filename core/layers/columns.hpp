#pragma once
// Moving between columns split over an axis and whole rows.

#include "core/backend/ops.hpp"

namespace fourfold {

/// (R, C/p) -> blocks (p, R, C/p): every member's columns, gathered over `axis`.
Tensor gather_column_blocks(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind);

/// (R, C/p) -> (R, C): whole rows, gathered over `axis`.
Tensor gather_columns(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind);

/// Blocks (p, R, C/p), Partial over `axis` -> (R, C/p): this rank's columns of the sum.
Tensor reduce_scatter_column_blocks(RankContext& context, Axis axis, const Tensor& blocks, MemoryKind kind);

/// (R, C), Partial over `axis` -> (R, C/p): this rank's columns of the sum.
Tensor reduce_scatter_columns(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind);

}  // namespace fourfold
