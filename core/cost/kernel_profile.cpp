#include "core/cost/kernel_profile.hpp"

#include <iterator>

namespace fourfold {
namespace {

constexpr double kLargestGap = 1.5;  // n2 / n1 that a ratio is interpolated over

}  // namespace

KernelProfile::GemmSeries KernelProfile::series_of(const GemmShape& shape) {
  return {shape.layout, shape.dtype, shape.m, shape.k, shape.batch};
}

KernelProfile::AttentionKey KernelProfile::key_of(const std::string& kernel,
                                                  const AttentionShape& shape) {
  return {kernel, shape.dtype, shape.batch, shape.sequence, shape.head_dim};
}

void KernelProfile::add_gemm(const GemmShape& shape, Seconds time) {
  gemms_[series_of(shape)][shape.n] = time;
}

void KernelProfile::add_attention(const std::string& kernel, const AttentionShape& shape,
                                  Seconds time) {
  attentions_[key_of(kernel, shape)] = time;
}

std::optional<Seconds> KernelProfile::gemm_time(
    const GemmShape& shape, const std::function<Seconds(const GemmShape&)>& model) const {
  const auto series = gemms_.find(series_of(shape));
  if (series == gemms_.end()) return std::nullopt;
  const std::map<std::int64_t, Seconds>& times = series->second;
  const auto above = times.lower_bound(shape.n);
  if (above == times.end()) return std::nullopt;
  if (above->first == shape.n) return above->second;
  if (above == times.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double n1 = static_cast<double>(below->first), n2 = static_cast<double>(above->first);
  if (n2 > kLargestGap * n1) return std::nullopt;

  const auto ratio_at = [&](const auto& measured) {
    GemmShape neighbour = shape;
    neighbour.n = measured->first;
    return measured->second / model(neighbour);
  };
  const double weight = (static_cast<double>(shape.n) - n1) / (n2 - n1);
  return model(shape) * ((1 - weight) * ratio_at(below) + weight * ratio_at(above));
}

std::optional<Seconds> KernelProfile::attention_time(const std::string& kernel,
                                                     const AttentionShape& shape) const {
  const auto known = attentions_.find(key_of(kernel, shape));
  if (known == attentions_.end()) return std::nullopt;
  return known->second;
}

}  // namespace fourfold
