#include "core/analytic/step_costs.hpp"

#include <utility>

namespace fourfold {
namespace {

/// Local sizes and the costs of kernels on them.
class Costing {
 public:
  Costing(const GptConfig& model, const TrainConfig& train, const KernelModel& kernels)
      : model_(model),
        train_(train),
        kernels_(kernels),
        dtype_(train.dtype),
        wide_(wide(train.dtype)),
        x_(train.grid.size(Axis::x)),
        y_(train.grid.size(Axis::y)),
        rows_(train.rows()) {}

  LinearCosts linear(std::int64_t inputs, std::int64_t outputs, Orientation orientation) const {
    const bool normal = orientation == Orientation::normal;
    const std::int64_t k = inputs / (normal ? y_ : x_);
    const std::int64_t n = outputs / (normal ? x_ : y_);
    const Tensor input = tensor({rows_, k});
    const Tensor output = tensor({rows_, n});
    const Tensor weight = tensor({k, n});
    LinearCosts costs;
    costs.input_axis = normal ? Axis::y : Axis::x;
    costs.output_axis = normal ? Axis::x : Axis::y;
    costs.forward = cost(Gemm{input, weight, output, false, false, false});
    costs.input_gradient = cost(Gemm{output, weight, input, false, true, false});
    costs.weight_gradient = cost(Gemm{input, output, weight, true, false, false});
    costs.bias_gradient = cost(ColumnSum{output, wide_tensor({n})});
    costs.input = input.bytes();
    costs.output = output.bytes();
    costs.weight = weight.bytes();
    return costs;
  }

  NormCosts norm() const {
    const Tensor rows = residual();
    const Tensor pairs = wide_tensor({rows_, 2});
    const Tensor vector = tensor({model_.hidden / y_});
    const Tensor gradient = wide_tensor({model_.hidden / y_});
    NormCosts costs;
    costs.moments = cost(RowMoments{rows, pairs});
    costs.forward = cost(LayerNormForward{rows, pairs, vector, vector, rows, model_.hidden});
    costs.backward_sums = cost(
        LayerNormBackwardSums{rows, rows, pairs, vector, pairs, gradient, gradient, model_.hidden});
    costs.backward =
        cost(LayerNormBackward{rows, rows, pairs, vector, pairs, {}, rows, model_.hidden});
    costs.backward_residual =
        cost(LayerNormBackward{rows, rows, pairs, vector, pairs, rows, rows, model_.hidden});
    return costs;
  }

  EmbeddingCosts embedding() const {
    const Tensor tokens = sized_tensor({rows_}, DType::int32);
    const Tensor table = vocabulary_table();
    const Tensor blocks = tensor({y_, rows_, model_.hidden / y_});
    const Tensor positions = tensor({model_.sequence, model_.hidden / y_});
    EmbeddingCosts costs;
    costs.forward = cost(EmbeddingForward{tokens, table, blocks, 0, y_});
    costs.add_positions = cost(AddPositions{residual(), positions, train_.sequence});
    costs.positions_backward = cost(PositionsBackward{residual(), positions, train_.sequence});
    costs.backward = cost(EmbeddingBackward{tokens, blocks, table, 0, y_});
    costs.tokens = table.bytes();
    costs.positions = positions.bytes();
    return costs;
  }

  HeadCosts head() const {
    const Tensor targets = sized_tensor({rows_}, DType::int32);
    const Tensor whole = tensor({rows_, model_.hidden});
    const Tensor table = vocabulary_table();
    const std::int64_t columns = model_.vocabulary / (x_ * y_);
    const Tensor logits = wide_tensor({rows_, columns});
    const Tensor d_logits = tensor({rows_, columns});
    const Tensor maximum = wide_tensor({rows_});
    const Tensor sums = wide_tensor({rows_, 2});
    HeadCosts costs;
    if (y_ > 1) {
      costs.merge_columns = cost(MergeColumns{whole, whole, y_});
      costs.split_columns = cost(SplitColumns{whole, whole, y_});
    }
    costs.logits = cost(Gemm{whole, table, logits, false, true, false});
    costs.row_max = cost(RowMax{logits, maximum});
    costs.softmax_sums = cost(SoftmaxSums{logits, maximum, targets, sums});
    costs.loss = cost(CrossEntropyLoss{sums, wide_tensor({1})});
    costs.softmax_backward = cost(CrossEntropyBackward{logits, maximum, sums, targets, d_logits});
    costs.table_gradient = cost(Gemm{d_logits, whole, table, true, false, false});
    costs.input_gradient = cost(Gemm{d_logits, table, whole, false, false, false});
    costs.logits_bytes = logits.bytes();
    costs.logits_gradient = d_logits.bytes();
    costs.row_maximum = maximum.bytes();
    return costs;
  }

  void attention(StepCosts& costs) const {
    const bool flash = train_.attention == AttentionAlgorithm::flash;
    const std::int64_t sequences = rows_ / train_.sequence;
    const std::int64_t heads = model_.heads / x_;
    const std::int64_t head_dim = model_.hidden / model_.heads;
    const Tensor qkv = tensor({rows_, 3 * heads * head_dim});
    const Tensor output = tensor({rows_, heads * head_dim});
    const Tensor saved = flash ? wide_tensor({sequences, heads, train_.sequence})
                               : tensor({sequences, heads, train_.sequence, train_.sequence});
    costs.qkv_bias = cost(AddBias{qkv, tensor({3 * heads * head_dim}), qkv});
    costs.attention_forward = cost(AttentionForward{
        qkv, output, saved, heads, head_dim, train_.sequence, train_.attention, {}});
    costs.attention_backward = cost(AttentionBackward{
        output, qkv, output, saved, qkv, heads, head_dim, train_.sequence, train_.attention, {}});
    costs.attention_saved = saved.bytes();
  }

  void elementwise(StepCosts& costs) const {
    const Tensor expanded = tensor({rows_, model_.ffn / x_});
    const Tensor expanded_bias = tensor({model_.ffn / x_});
    costs.gelu = cost(BiasGelu{expanded, expanded_bias, expanded});
    costs.gelu_backward = cost(BiasGeluBackward{expanded, expanded, expanded_bias, expanded});
    costs.clear_scalar = cost(Fill{wide_tensor({1}), 0.0});
    costs.bias_residual =
        cost(BiasResidual{residual(), tensor({model_.hidden / y_}), residual(), residual(), {}});
  }

  Tensor residual() const { return tensor({rows_, model_.hidden / y_}); }
  Tensor tensor(Shape shape) const { return sized_tensor(std::move(shape), dtype_); }
  Tensor wide_tensor(Shape shape) const { return sized_tensor(std::move(shape), wide_); }

 private:
  KernelCost cost(const Kernel& kernel) const { return cost_of(kernel, kernels_); }
  Tensor vocabulary_table() const { return tensor({model_.vocabulary / (x_ * y_), model_.hidden}); }

  const GptConfig& model_;
  const TrainConfig& train_;
  const KernelModel& kernels_;
  DType dtype_, wide_;
  std::int64_t x_, y_, rows_;
};

}  // namespace

KernelCost cost_of(const Kernel& kernel, const KernelModel& model) {
  return {model.time(kernel), flops(kernel)};
}

Tensor sized_tensor(Shape shape, DType dtype) {
  static const auto kStorage = std::make_shared<Storage>(0, 0, MemoryKind::workspace);
  return {std::move(shape), dtype, kStorage, 0};
}

StepCosts step_costs(const GptConfig& model, const TrainConfig& train, const KernelModel& kernels) {
  const Costing costing(model, train, kernels);
  const std::int64_t h = model.hidden;
  StepCosts costs;
  costs.rows = train.rows();
  costs.token_ids = costs.rows * size_of(DType::int32);
  costs.residual = costing.residual().bytes();
  costs.whole_rows = costing.tensor({costs.rows, h}).bytes();
  costs.row_pairs = costing.wide_tensor({costs.rows, 2}).bytes();
  costs.qkv = costing.linear(h, 3 * h, Orientation::normal);
  costs.projection = costing.linear(h, h, Orientation::transposed);
  costs.expand = costing.linear(h, model.ffn, Orientation::normal);
  costs.contract = costing.linear(model.ffn, h, Orientation::transposed);
  costs.norm = costing.norm();
  costs.embedding = costing.embedding();
  costs.head = costing.head();
  costing.attention(costs);
  costing.elementwise(costs);
  return costs;
}

}  // namespace fourfold
