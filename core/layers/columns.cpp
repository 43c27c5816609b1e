#include "core/layers/columns.hpp"

namespace fourfold {

Tensor gather_column_blocks(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind) {
  return reshaped(all_gather(context, axis, tensor, kind), {context.size(axis), tensor.shape[0], tensor.shape[1]});
}

Tensor gather_columns(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind) {
  const std::int64_t members = context.size(axis);
  if (members == 1) return tensor;
  const Tensor blocks = gather_column_blocks(context, axis, tensor, MemoryKind::workspace);
  const Tensor rows = context.device.allocate({tensor.shape[0], tensor.shape[1] * members}, tensor.dtype, kind);
  launch(context, MergeColumns{blocks, rows, members});
  return rows;
}

Tensor reduce_scatter_column_blocks(RankContext& context, Axis axis, const Tensor& blocks, MemoryKind kind) {
  return reshaped(reduce_scatter(context, axis, blocks, kind), {blocks.shape[1], blocks.shape[2]});
}

Tensor reduce_scatter_columns(RankContext& context, Axis axis, const Tensor& tensor, MemoryKind kind) {
  const std::int64_t members = context.size(axis);
  if (members == 1) return tensor;
  const Shape block_shape = {members, tensor.shape[0], tensor.shape[1] / members};
  const Tensor blocks = context.device.allocate(block_shape, tensor.dtype, MemoryKind::workspace);
  launch(context, SplitColumns{tensor, blocks, members});
  return reduce_scatter_column_blocks(context, axis, blocks, kind);
}

}  // namespace fourfold
