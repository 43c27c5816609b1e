#pragma once
// Measured kernel times of one GPU, which take the place of modelled ones. The format of the files that they come from
// is in README.md.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/cost/attention_model.hpp"
#include "core/cost/gemm_model.hpp"

namespace fourfold {

class KernelProfile {
 public:
  /// Measurements are added in the order of their age: the newest of the same shape counts. Whether a GEMM accumulates
  /// is not distinguished.
  void add_gemm(const GemmShape& shape, Seconds time);
  /// `kernel`: "attention_forward" or "attention_backward".
  void add_attention(const std::string& kernel, const AttentionShape& shape, Seconds time);

  /// The measured time of this very shape. Otherwise, where n1 < n < n2 <= 1.5 n1 are measured with the same layout,
  /// type, m, k and batch: the time by `model`, times the ratio of measured to modelled time, linear between n1 and n2.
  /// Nothing elsewhere.
  std::optional<Seconds> gemm_time(const GemmShape& shape,
                                   const std::function<Seconds(const GemmShape&)>& model) const;

  /// The measured time of this very shape, or nothing.
  std::optional<Seconds> attention_time(const std::string& kernel,
                                        const AttentionShape& shape) const;

 private:
  /// Layout, type, m, k, batch.
  using GemmSeries = std::tuple<GemmLayout, DType, std::int64_t, std::int64_t, std::int64_t>;
  /// Kernel, type, batch, sequence, head dimension.
  using AttentionKey = std::tuple<std::string, DType, std::int64_t, std::int64_t, std::int64_t>;

  static GemmSeries series_of(const GemmShape& shape);
  static AttentionKey key_of(const std::string& kernel, const AttentionShape& shape);

  std::map<GemmSeries, std::map<std::int64_t, Seconds>> gemms_;  ///< times by n
  std::map<AttentionKey, Seconds> attentions_;
};

}  // namespace fourfold
