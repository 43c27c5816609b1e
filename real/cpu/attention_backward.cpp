// With f_ij the factors of dropout (1 without):
//   dv_j = sum_i f_ij p_ij do_i;   dp_ij = f_ij do_i . v_j;   ds_ij = p_ij (dp_ij - sum_l p_il dp_il);
//   dq_i = sum_j ds_ij k_j / sqrt(d);   dk_j = sum_i ds_ij q_i / sqrt(d).

#include "real/cpu/attention_view.hpp"
#include "real/cpu/kernels.hpp"
#include "real/cpu/vector_math.hpp"

namespace fourfold::real::cpu {
namespace {

/// Room for two blocks: probabilities and their gradients.
template <typename W>
struct Blocks {
  W *p, *dp;
};

/// ds = p (dp - sum p dp), in place of dp.
template <typename W>
void softmax_backward_row(const W* p, W* dp, std::int64_t n) {
  W weighted = 0;
#pragma omp simd reduction(+ : weighted)
  for (std::int64_t j = 0; j < n; ++j) weighted += p[j] * dp[j];
#pragma omp simd
  for (std::int64_t j = 0; j < n; ++j) dp[j] = p[j] * (dp[j] - weighted);
}

/// Backward pass of units; T is the stored type, arithmetic in W.
template <typename T, typename W = Wide<T>>
class Backward {
 public:
  Backward(const AttentionBackward& kernel, const W* d_output, const W* qkv, W* d_qkv)
      : kernel_(kernel), size_(kernel), d_output_(d_output), qkv_(qkv), d_qkv_(d_qkv) {
    const std::int64_t saved = size_.saved_elements(kernel.algorithm);
    if (kernel.algorithm == AttentionAlgorithm::flash) {
      log_sum_exp_ = elements_of<W>(kernel.saved, saved, "saved");
    } else {
      probabilities_ = elements_of<T>(kernel.saved, saved, "saved");
    }
  }

  /// From the last block, which sees all keys and sets their gradients, to the first; the others add to them.
  void run(std::int64_t unit_index, const Blocks<W>& blocks) const {
    const AttentionUnit unit(size_, unit_index);
    const std::int64_t last = (size_.sequence - 1) / kQueryBlock * kQueryBlock;
    for (std::int64_t first = last; first >= 0; first -= kQueryBlock) {
      run_block(unit, first, std::min(kQueryBlock, size_.sequence - first),
                first == last ? W{0} : W{1}, blocks);
    }
  }

 private:
  void run_block(const AttentionUnit& unit, std::int64_t first, std::int64_t m, W beta,
                 const Blocks<W>& blocks) const {
    const std::int64_t n = first + m;
    const std::int64_t d = size_.head_dim;
    const std::int64_t stride = size_.qkv_stride();
    const std::int64_t query = unit.query + first * stride;
    const W* d_output = d_output_ + unit.output + first * size_.output_stride();
    const W scale = static_cast<W>(size_.scale());
    const bool drops = kernel_.dropout.probability > 0;

    load_probabilities(unit, first, m, blocks.p);
    blas_gemm(m, n, d, W{1}, {d_output, size_.output_stride()}, {qkv_ + unit.value, stride, true},
              W{0}, blocks.dp, n);
    if (drops) drop_probabilities(kernel_.dropout, size_, unit, first, m, n, blocks.dp);
    for (std::int64_t i = 0; i < m; ++i)
      softmax_backward_row(blocks.p + i * n, blocks.dp + i * n, n);
    blas_gemm(m, d, n, scale, {blocks.dp, n}, {qkv_ + unit.key, stride}, W{0}, d_qkv_ + query,
              stride);
    blas_gemm(n, d, m, scale, {blocks.dp, n, true}, {qkv_ + query, stride}, beta, d_qkv_ + unit.key,
              stride);
    if (drops) drop_probabilities(kernel_.dropout, size_, unit, first, m, n, blocks.p);
    blas_gemm(n, d, m, W{1}, {blocks.p, n, true}, {d_output, size_.output_stride()}, beta,
              d_qkv_ + unit.value, stride);
  }

  /// The probabilities (m, n) of a block, before dropout: recomputed from the scores, or as they were saved.
  void load_probabilities(const AttentionUnit& unit, std::int64_t first, std::int64_t m,
                          W* p) const {
    const std::int64_t n = first + m;
    if (probabilities_ != nullptr) {
      for (std::int64_t i = 0; i < m; ++i) {
        convert(probabilities_ + (unit.row + first + i) * size_.sequence, p + i * n, n);
      }
      return;
    }
    const std::int64_t stride = size_.qkv_stride();
    blas_gemm(m, n, size_.head_dim, static_cast<W>(size_.scale()),
              {qkv_ + unit.query + first * stride, stride}, {qkv_ + unit.key, stride, true}, W{0},
              p, n);
    for (std::int64_t i = 0; i < m; ++i) {
      const W log_sum_exp = log_sum_exp_[unit.row + first + i];
      W* row = p + i * n;
      const std::int64_t seen = first + i + 1;
#pragma omp simd
      for (std::int64_t j = 0; j < seen; ++j) row[j] = exponential(row[j] - log_sum_exp);
      std::fill(row + seen, row + n, W{0});
    }
  }

  const AttentionBackward& kernel_;
  AttentionSizes size_;
  const W* d_output_;
  const W* qkv_;
  W* d_qkv_;
  const W* log_sum_exp_ = nullptr;    // flash
  const T* probabilities_ = nullptr;  // unfused
};

template <typename T>
void run_typed(const AttentionBackward& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const AttentionSizes size(kernel);
  const T* d_output_values = elements_of<T>(kernel.d_output, size.output_elements(), "d_output");
  const T* qkv_values = elements_of<T>(kernel.qkv, size.qkv_elements(), "qkv");
  T* d_qkv_values = elements_of<T>(kernel.d_qkv, size.qkv_elements(), "d_qkv");
  const WideInput<T> d_output(engine.cache, d_output_values, size.output_elements());
  const WideInput<T> qkv(engine.cache, qkv_values, size.qkv_elements());
  const WideOutput<T> d_qkv(engine.cache, d_qkv_values, size.qkv_elements());
  const Backward<T> backward(kernel, d_output.data(), qkv.data(), d_qkv.data());
  const std::int64_t block = kQueryBlock * size.sequence;
  const Scratch<W> scratch(engine.cache, 2 * engine.threads.threads() * block);
  engine.threads.for_ranges(size.units(), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    W* p = scratch.data() + 2 * thread * block;
    for (std::int64_t unit = begin; unit < end; ++unit) backward.run(unit, {p, p + block});
  });
  d_qkv.store();
}

}  // namespace

void run(const AttentionBackward& kernel, CpuEngine& engine) {
  with_float_type(kernel.qkv.dtype, [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
