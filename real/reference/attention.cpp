// Causal attention of one head in one sequence: s_ij = q_i . k_j / sqrt(d) for j <= i, p_i =
// softmax(s_i), o_i = sum f_ij p_ij v_j, with f_ij the factor of dropout, 1 without.

#include <algorithm>
#include <cmath>

#include "real/reference/array.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {
namespace {

/// Sizes of an attention kernel: b sequences of length s, h heads of dimension d.
struct Sizes {
  template <typename AttentionKernel>
  explicit Sizes(const AttentionKernel& kernel)
      : b(kernel.output.elements() / (kernel.sequence * kernel.heads * kernel.head_dim)),
        s(kernel.sequence),
        h(kernel.heads),
        d(kernel.head_dim) {}
  Extents qkv() const { return {b, s, 3, h, d}; }
  Extents output() const { return {b, s, h, d}; }
  Extents log_sum_exp() const { return {b, h, s}; }
  Extents probabilities() const { return {b, h, s, s}; }

  std::int64_t b, s, h, d;
};

/// Positions in the second dimension of qkv.
enum : std::int64_t { kQuery, kKey, kValue };

/// s_ij for one sequence and head.
double score(const Array& qkv, const Sizes& size, std::int64_t b, std::int64_t h, std::int64_t i,
             std::int64_t j) {
  double sum = 0;
  for (std::int64_t e = 0; e < size.d; ++e) sum += qkv(b, i, kQuery, h, e) * qkv(b, j, kKey, h, e);
  return sum / std::sqrt(static_cast<double>(size.d));
}

/// log sum_j exp(s_ij) of every row.
Array log_sum_exps(const Array& qkv, const Sizes& size) {
  Array result(size.log_sum_exp());
  for (std::int64_t b = 0; b < size.b; ++b) {
    for (std::int64_t h = 0; h < size.h; ++h) {
      for (std::int64_t i = 0; i < size.s; ++i) {
        double largest = score(qkv, size, b, h, i, 0);
        for (std::int64_t j = 1; j <= i; ++j)
          largest = std::max(largest, score(qkv, size, b, h, i, j));
        double sum = 0;
        for (std::int64_t j = 0; j <= i; ++j)
          sum += std::exp(score(qkv, size, b, h, i, j) - largest);
        result(b, h, i) = largest + std::log(sum);
      }
    }
  }
  return result;
}

/// p_ij = exp(s_ij - log sum exp), zero for j > i.
Array probabilities(const Array& qkv, const Array& log_sum_exp, const Sizes& size) {
  Array result(size.probabilities());
  for (std::int64_t b = 0; b < size.b; ++b) {
    for (std::int64_t h = 0; h < size.h; ++h) {
      for (std::int64_t i = 0; i < size.s; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          result(b, h, i, j) = std::exp(score(qkv, size, b, h, i, j) - log_sum_exp(b, h, i));
        }
      }
    }
  }
  return result;
}

/// What dropout multiplies p_ij by: the mask has a row per query and a column per head and key.
double dropout_factor(const DropoutMask& mask, const Sizes& size, std::int64_t b, std::int64_t h,
                      std::int64_t i, std::int64_t j) {
  return mask.factor(b * size.s + i, h * size.s + j);
}

/// Adds the gradients of one head in one sequence to d_qkv, with f_ij the factors of dropout:
/// dv_j = sum_i f_ij p_ij do_i;  dp_ij = f_ij do_i . v_j;  ds_ij = p_ij (dp_ij - sum_l p_il dp_il);
/// dq_i = sum_j ds_ij k_j / sqrt(d);  dk_j = sum_i ds_ij q_i / sqrt(d).
void backward_of_head(const Array& d_output, const Array& qkv, const Array& p,
                      const DropoutMask& mask, const Sizes& size, std::int64_t b, std::int64_t h,
                      Array& d_qkv) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(size.d));
  for (std::int64_t i = 0; i < size.s; ++i) {
    Array dp({i + 1});
    double weighted_sum = 0;
    for (std::int64_t j = 0; j <= i; ++j) {
      const double factor = dropout_factor(mask, size, b, h, i, j);
      for (std::int64_t e = 0; e < size.d; ++e) {
        d_qkv(b, j, kValue, h, e) += factor * p(b, h, i, j) * d_output(b, i, h, e);
        dp(j) += factor * d_output(b, i, h, e) * qkv(b, j, kValue, h, e);
      }
      weighted_sum += p(b, h, i, j) * dp(j);
    }
    for (std::int64_t j = 0; j <= i; ++j) {
      const double ds = p(b, h, i, j) * (dp(j) - weighted_sum);
      for (std::int64_t e = 0; e < size.d; ++e) {
        d_qkv(b, i, kQuery, h, e) += ds * qkv(b, j, kKey, h, e) * scale;
        d_qkv(b, j, kKey, h, e) += ds * qkv(b, i, kQuery, h, e) * scale;
      }
    }
  }
}

}  // namespace

void run(const AttentionForward& kernel) {
  const Sizes size(kernel);
  const Array qkv = load(kernel.qkv, size.qkv(), "qkv");
  const Array log_sum_exp = log_sum_exps(qkv, size);
  const Array p = probabilities(qkv, log_sum_exp, size);
  Array output(size.output());
  for (std::int64_t b = 0; b < size.b; ++b) {
    for (std::int64_t h = 0; h < size.h; ++h) {
      for (std::int64_t i = 0; i < size.s; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          const double weight = p(b, h, i, j) * dropout_factor(kernel.dropout, size, b, h, i, j);
          for (std::int64_t e = 0; e < size.d; ++e)
            output(b, i, h, e) += weight * qkv(b, j, kValue, h, e);
        }
      }
    }
  }
  store(output, kernel.output, "output");
  store(kernel.algorithm == AttentionAlgorithm::flash ? log_sum_exp : p, kernel.saved, "saved");
}

void run(const AttentionBackward& kernel) {
  const Sizes size(kernel);
  const Array d_output = load(kernel.d_output, size.output(), "d_output");
  const Array qkv = load(kernel.qkv, size.qkv(), "qkv");
  const Array p = kernel.algorithm == AttentionAlgorithm::flash
                      ? probabilities(qkv, load(kernel.saved, size.log_sum_exp(), "saved"), size)
                      : load(kernel.saved, size.probabilities(), "saved");
  Array d_qkv(size.qkv());
  for (std::int64_t b = 0; b < size.b; ++b) {
    for (std::int64_t h = 0; h < size.h; ++h)
      backward_of_head(d_output, qkv, p, kernel.dropout, size, b, h, d_qkv);
  }
  store(d_qkv, kernel.d_qkv, "d_qkv");
}

}  // namespace fourfold::real
