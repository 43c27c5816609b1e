#pragma once
// What a checkpoint keeps of a parameter: this rank's shard of the master weights and of AdamW's moments, all in the
// wide type. The copy in the training type is rounded from the master and need not be kept.

#include <array>
#include <string_view>
#include <vector>

#include "core/layers/parameter.hpp"

namespace fourfold::real {

inline constexpr std::size_t kStateCount = 3;
/// Names of the tensors in a shard file: "weights.NAME", "first_moment.NAME", "second_moment.NAME".
inline constexpr std::array<std::string_view, kStateCount> kStateNames = {"weights", "first_moment",
                                                                          "second_moment"};

struct ParameterState {
  const Parameter* parameter = nullptr;
  std::array<Tensor, kStateCount> tensors;  ///< flat views, in the order of kStateNames
};

/// Of all parameters, in the order in which they were added to their buckets.
std::vector<ParameterState> parameter_states(const ParameterStore& store);

/// Rounds the training copies from the masters, after these were uploaded.
void refresh_training_copies(RankContext& context, const ParameterStore& store);

}  // namespace fourfold::real
