#pragma once
// Settings of a run as the words that the command line takes; every output writes the same ones.

#include <string>
#include <string_view>

#include "core/grid/grid.hpp"
#include "core/schedule/train_config.hpp"

namespace fourfold {

std::string_view name_of(Recompute recompute);              ///< "full", "none"
std::string_view name_of(AttentionAlgorithm algorithm);     ///< "flash", "unfused"
Recompute parse_recompute(std::string_view text);           ///< Throws ConfigError.
AttentionAlgorithm parse_attention(std::string_view text);  ///< Throws ConfigError.

/// "xyzd", innermost axis first; the inverse of parse_axis_order.
std::string name_of(const AxisOrder& order);

}  // namespace fourfold
