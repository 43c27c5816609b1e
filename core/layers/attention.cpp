#include "core/layers/attention.hpp"

#include <utility>

#include "core/base/math.hpp"

namespace fourfold {

SelfAttention::SelfAttention(ParameterStore& store, const Grid& grid, const std::string& name, const Options& options)
    : name_(name),
      heads_(divide_exactly(options.heads, "heads", grid.size(Axis::x), "grid.x")),
      head_dim_(divide_exactly(options.hidden, "hidden", options.heads, "heads")),
      sequence_(options.sequence),
      algorithm_(options.algorithm),
      qkv_(store, grid, name + ".qkv",
           {.inputs = options.hidden, .outputs = 3 * options.hidden, .output_parts = 3, .bucket = options.bucket}),
      projection_(store, grid, name + ".projection",
                  {.inputs = options.hidden,
                   .outputs = options.hidden,
                   .orientation = Orientation::transposed,
                   .standard_deviation = options.projection_deviation,
                   .bucket = options.bucket}) {}

Tensor SelfAttention::forward(StepContext& step, const Tensor& input, Keep keep, AttentionActivations& kept) const {
  const Range range(step.device, "attention");
  const Tensor qkv = qkv_.forward(step, input, keep, kept.qkv_linear);  // (m/z, 3h/x)
  launch(step, AddBias{qkv, qkv_.bias().value, qkv});

  const std::int64_t rows = input.shape[0];
  const bool flash = algorithm_ == AttentionAlgorithm::flash;
  const Shape saved_shape = flash ? Shape{rows / sequence_, heads_, sequence_}
                                  : Shape{rows / sequence_, heads_, sequence_, sequence_};
  const Tensor saved = step.device.allocate(saved_shape, flash ? wide(qkv.dtype) : qkv.dtype, MemoryKind::activations);
  const Tensor output = step.device.allocate({rows, heads_ * head_dim_}, qkv.dtype, MemoryKind::activations);  // (m/z, h/x)
  launch(step, AttentionForward{qkv, output, saved, heads_, head_dim_, sequence_, algorithm_, dropout_mask(step)});
  if (keep != Keep::nothing) {
    kept.qkv = qkv;
    kept.output = output;
    kept.saved = saved;
  }
  return projection_.forward(step, output, keep, kept.projection);  // (m/z, h/y)
}

Tensor SelfAttention::backward(StepContext& step, const Tensor& d_output, AttentionActivations kept) const {
  const Range range(step.device, "attention");
  Tensor d_qkv = step.device.allocate(kept.qkv.shape, kept.qkv.dtype, MemoryKind::workspace);  // (m/z, 3h/x)
  {
    const Tensor d_attention = projection_.backward(step, d_output, std::exchange(kept.projection, {}));  // (m/z, h/x)
    launch(step, AttentionBackward{d_attention, kept.qkv, kept.output, kept.saved, d_qkv, heads_, head_dim_, sequence_,
                                   algorithm_, dropout_mask(step)});
    kept.qkv = kept.output = kept.saved = {};
  }
  return qkv_.backward(step, d_qkv, std::exchange(kept.qkv_linear, {}));  // (m/z, h/y)
}

DropoutMask SelfAttention::dropout_mask(const StepContext& step) const {
  const std::int64_t columns = heads_ * sequence_;  // one for every head and key
  return step.dropout.mask(name_, step.index(Axis::x) * columns, step.size(Axis::x) * columns);
}

}  // namespace fourfold
