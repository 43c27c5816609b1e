#pragma once
// What algorithms call: a thin layer of named functions that checks shapes, allocates the result and launches.
// Kernels go to the compute stream. A collective is started on a communication stream behind everything issued so
// far on the compute stream, and joined into the compute stream where its result is needed: at once, or later to
// overlap it with the kernels issued in between.

#include "core/backend/rank_context.hpp"

namespace fourfold {

/// A collective in flight. `result` may be used on the compute stream after `join`.
struct Pending {
  Tensor result;
  Event done;    ///< invalid for a group of one, where nothing was issued
  Tensor input;  ///< held until joined, so that the accounted memory covers the time in flight
};

/// Starts an all_reduce of `tensor` in place over the group along `axes`.
Pending start_all_reduce(RankContext& context, Stream stream, AxisSet axes, const Tensor& tensor,
                         Reduction reduction = Reduction::sum);
/// Starts an all_gather of the shards over the group along `axes`; the result is flat, (p n).
Pending start_all_gather(RankContext& context, Stream stream, AxisSet axes, const Tensor& shard, MemoryKind kind);
/// Starts a reduce_scatter of `tensor` over the group along `axes`; the result is flat, (n / p).
Pending start_reduce_scatter(RankContext& context, Stream stream, AxisSet axes, const Tensor& tensor, MemoryKind kind);

/// Makes later kernels wait for the collective, lets go of its input and returns its result. Joining again is a no-op,
/// so a schedule is written once: without overlap the join simply comes at once.
Tensor join(RankContext& context, Pending& pending);

/// Blocking (not overlapped) forms: started and joined at once, on the reduction stream of the first axis.
void all_reduce(RankContext& context, AxisSet axes, const Tensor& tensor, Reduction reduction = Reduction::sum);
Tensor all_gather(RankContext& context, Axis axis, const Tensor& shard, MemoryKind kind);
Tensor reduce_scatter(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind);

/// Launches on the compute stream.
void launch(RankContext& context, const Kernel& kernel);

enum class Transpose { none, a, b };

/// c (m, n) = a (m, k) b (k, n), with the named operand stored transposed. Result in a's type unless given.
Tensor matmul(RankContext& context, const Tensor& a, const Tensor& b, Transpose transpose, MemoryKind kind,
              DType result_dtype);
Tensor matmul(RankContext& context, const Tensor& a, const Tensor& b, Transpose transpose, MemoryKind kind);

/// Drops elements of `tensor` (R, C) in place; nothing is launched where dropout is off.
void apply_dropout(RankContext& context, const Tensor& tensor, const DropoutMask& mask);

/// A tensor of zeros.
Tensor zeros(RankContext& context, Shape shape, DType dtype, MemoryKind kind);

}  // namespace fourfold
