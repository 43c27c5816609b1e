#include "core/backend/ops.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"

namespace fourfold {
namespace {

/// Issues `collective` on `stream` behind the compute stream's present work.
Pending start(RankContext& context, Stream stream, Collective collective) {
  context.device.wait(stream, context.device.record(Stream::compute));
  context.communicator.launch(stream, collective);
  return {std::move(collective.output), context.device.record(stream), std::move(collective.input)};
}

Stream default_stream(AxisSet axes) {
  for (Axis axis : kAllAxes) {
    if (axes.contains(axis)) return reduction_stream(axis);
  }
  return Stream::comm_data;
}

}  // namespace

Pending start_all_reduce(RankContext& context, Stream stream, AxisSet axes, const Tensor& tensor,
                         Reduction reduction) {
  if (context.size(axes) == 1) return {tensor, {}, {}};
  return start(context, stream, {CollectiveKind::all_reduce, axes, tensor, tensor, reduction});
}

Pending start_all_gather(RankContext& context, Stream stream, AxisSet axes, const Tensor& shard, MemoryKind kind) {
  const std::int64_t members = context.size(axes);
  if (members == 1) return {reshaped(shard, {shard.elements()}), {}, {}};
  Tensor gathered = context.device.allocate({shard.elements() * members}, shard.dtype, kind);
  return start(context, stream, {CollectiveKind::all_gather, axes, shard, std::move(gathered), Reduction::sum});
}

Pending start_reduce_scatter(RankContext& context, Stream stream, AxisSet axes, const Tensor& tensor, MemoryKind kind) {
  const std::int64_t members = context.size(axes);
  if (members == 1) return {reshaped(tensor, {tensor.elements()}), {}, {}};
  const std::int64_t part = divide_exactly(tensor.elements(), "tensor elements", members, "group size");
  Tensor scattered = context.device.allocate({part}, tensor.dtype, kind);
  return start(context, stream, {CollectiveKind::reduce_scatter, axes, tensor, std::move(scattered), Reduction::sum});
}

Tensor join(RankContext& context, Pending& pending) {
  if (pending.done.valid()) context.device.wait(Stream::compute, pending.done);
  pending.done = {};
  pending.input = {};
  return pending.result;
}

void all_reduce(RankContext& context, AxisSet axes, const Tensor& tensor, Reduction reduction) {
  Pending pending = start_all_reduce(context, default_stream(axes), axes, tensor, reduction);
  join(context, pending);
}

Tensor all_gather(RankContext& context, Axis axis, const Tensor& shard, MemoryKind kind) {
  Pending pending = start_all_gather(context, reduction_stream(axis), axis, shard, kind);
  return join(context, pending);
}

Tensor reduce_scatter(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind) {
  Pending pending = start_reduce_scatter(context, reduction_stream(axis), axis, tensor, kind);
  return join(context, pending);
}

void launch(RankContext& context, const Kernel& kernel) { context.device.launch(Stream::compute, kernel); }

Tensor matmul(RankContext& context, const Tensor& a, const Tensor& b, Transpose transpose, MemoryKind kind,
              DType result_dtype) {
  const bool transpose_a = transpose == Transpose::a;
  const bool transpose_b = transpose == Transpose::b;
  const std::int64_t m = a.shape.at(transpose_a ? 1 : 0);
  const std::int64_t n = b.shape.at(transpose_b ? 0 : 1);
  if (a.shape[transpose_a ? 0 : 1] != b.shape[transpose_b ? 1 : 0]) {
    throw ShapeError(fmt::format("cannot multiply {}{} by {}{}", to_string(a.shape), transpose_a ? "^T" : "",
                                 to_string(b.shape), transpose_b ? "^T" : ""));
  }
  Tensor c = context.device.allocate({m, n}, result_dtype, kind);
  launch(context, Gemm{a, b, c, transpose_a, transpose_b, false});
  return c;
}

Tensor matmul(RankContext& context, const Tensor& a, const Tensor& b, Transpose transpose, MemoryKind kind) {
  return matmul(context, a, b, transpose, kind, a.dtype);
}

void apply_dropout(RankContext& context, const Tensor& tensor, const DropoutMask& mask) {
  if (mask.probability > 0.0) launch(context, Dropout{tensor, tensor, mask});
}

Tensor zeros(RankContext& context, Shape shape, DType dtype, MemoryKind kind) {
  Tensor tensor = context.device.allocate(std::move(shape), dtype, kind);
  launch(context, Fill{tensor, 0.0});
  return tensor;
}

}  // namespace fourfold
