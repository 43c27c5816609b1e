#pragma once
// Which communication is hidden behind computation: a value that the schedules take, never a second code path.

#include <string>
#include <string_view>

namespace fourfold {

struct OverlapPolicy {
  bool all_reduce = false;      ///< OAR: all_reduce(dI) behind the dW GEMM of the same layer (paper, section V.D)
  bool reduce_scatter = false;  ///< ORS: reduce_scatter(dW) behind the backward pass of the layers before
  bool all_gather = false;      ///< OAG: all_gather(W) of the next layer behind the present layer
  bool data = false;            ///< ODP: data-parallel all_reduce of finished buckets behind the backward pass

  static OverlapPolicy none() { return {}; }
  static OverlapPolicy paper() { return {true, true, true, false}; }
  static OverlapPolicy all() { return {true, true, true, true}; }

  friend bool operator==(const OverlapPolicy&, const OverlapPolicy&) = default;
};

/// "none", "paper", "all", or a comma-separated list of oar, ors, oag, odp. Throws ConfigError.
OverlapPolicy parse_overlap(std::string_view text);
/// The inverse of parse_overlap.
std::string to_string(const OverlapPolicy& policy);

}  // namespace fourfold
