#include "real/cpu/attention_view.hpp"
#include "real/cpu/kernels.hpp"
#include "real/cpu/vector_math.hpp"

namespace fourfold::real::cpu {
namespace {

/// Turns the first `seen` of n scores into probabilities, the others into zeros; returns log sum exp of the scores.
template <typename W>
W softmax_row(W* scores, std::int64_t seen, std::int64_t n) {
  W largest = scores[0];
#pragma omp simd reduction(max : largest)
  for (std::int64_t j = 1; j < seen; ++j) largest = std::max(largest, scores[j]);
  W sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < seen; ++j) {
    scores[j] = exponential(scores[j] - largest);
    sum += scores[j];
  }
  const W factor = 1 / sum;
#pragma omp simd
  for (std::int64_t j = 0; j < seen; ++j) scores[j] *= factor;
  std::fill(scores + seen, scores + n, W{0});
  return largest + std::log(sum);
}

/// Forward pass of units; T is the stored type, arithmetic in W.
template <typename T, typename W = Wide<T>>
class Forward {
 public:
  Forward(const AttentionForward& kernel, const W* qkv, W* output)
      : kernel_(kernel), size_(kernel), qkv_(qkv), output_(output) {
    const std::int64_t saved = size_.saved_elements(kernel.algorithm);
    if (kernel.algorithm == AttentionAlgorithm::flash) {
      log_sum_exp_ = elements_of<W>(kernel.saved, saved, "saved");
    } else {
      probabilities_ = elements_of<T>(kernel.saved, saved, "saved");
    }
  }

  /// `scores` has room for a block.
  void run(std::int64_t unit_index, W* scores) const {
    const AttentionUnit unit(size_, unit_index);
    for (std::int64_t first = 0; first < size_.sequence; first += kQueryBlock) {
      run_block(unit, first, std::min(kQueryBlock, size_.sequence - first), scores);
    }
  }

 private:
  void run_block(const AttentionUnit& unit, std::int64_t first, std::int64_t m, W* scores) const {
    const std::int64_t n = first + m;
    const std::int64_t stride = size_.qkv_stride();
    blas_gemm(m, n, size_.head_dim, static_cast<W>(size_.scale()),
              {qkv_ + unit.query + first * stride, stride}, {qkv_ + unit.key, stride, true}, W{0},
              scores, n);
    for (std::int64_t i = 0; i < m; ++i) {
      const W log_sum_exp = softmax_row(scores + i * n, first + i + 1, n);
      if (log_sum_exp_ != nullptr) log_sum_exp_[unit.row + first + i] = log_sum_exp;
      if (probabilities_ != nullptr) save(scores + i * n, n, unit.row + first + i);
    }
    if (kernel_.dropout.probability > 0)
      drop_probabilities(kernel_.dropout, size_, unit, first, m, n, scores);
    blas_gemm(m, size_.head_dim, n, W{1}, {scores, n}, {qkv_ + unit.value, stride}, W{0},
              output_ + unit.output + first * size_.output_stride(), size_.output_stride());
  }

  void save(const W* probabilities, std::int64_t n, std::int64_t row) const {
    T* saved = probabilities_ + row * size_.sequence;
    convert(probabilities, saved, n);
    std::fill(saved + n, saved + size_.sequence, T{});
  }

  const AttentionForward& kernel_;
  AttentionSizes size_;
  const W* qkv_;
  W* output_;
  W* log_sum_exp_ = nullptr;    // flash
  T* probabilities_ = nullptr;  // unfused
};

template <typename T>
void run_typed(const AttentionForward& kernel, CpuEngine& engine) {
  using W = Wide<T>;
  const AttentionSizes size(kernel);
  const T* qkv_values = elements_of<T>(kernel.qkv, size.qkv_elements(), "qkv");
  T* output_values = elements_of<T>(kernel.output, size.output_elements(), "output");
  const WideInput<T> qkv(engine.cache, qkv_values, size.qkv_elements());
  const WideOutput<T> output(engine.cache, output_values, size.output_elements());
  const Forward<T> forward(kernel, qkv.data(), output.data());
  const std::int64_t block = kQueryBlock * size.sequence;
  const Scratch<W> scores(engine.cache, engine.threads.threads() * block);
  engine.threads.for_ranges(size.units(), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    for (std::int64_t unit = begin; unit < end; ++unit)
      forward.run(unit, scores.data() + thread * block);
  });
  output.store();
}

}  // namespace

void run(const AttentionForward& kernel, CpuEngine& engine) {
  with_float_type(kernel.qkv.dtype, [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
