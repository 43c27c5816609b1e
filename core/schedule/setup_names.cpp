#include "core/schedule/setup_names.hpp"

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold {

std::string_view name_of(Recompute recompute) {
  return recompute == Recompute::full ? "full" : "none";
}

std::string_view name_of(AttentionAlgorithm algorithm) {
  return algorithm == AttentionAlgorithm::flash ? "flash" : "unfused";
}

Recompute parse_recompute(std::string_view text) {
  if (text == "full") return Recompute::full;
  if (text == "none") return Recompute::none;
  throw ConfigError(unknown_name_message("recomputation", text, {"full", "none"}));
}

AttentionAlgorithm parse_attention(std::string_view text) {
  if (text == "flash") return AttentionAlgorithm::flash;
  if (text == "unfused") return AttentionAlgorithm::unfused;
  throw ConfigError(unknown_name_message("attention algorithm", text, {"flash", "unfused"}));
}

std::string name_of(const AxisOrder& order) {
  std::string text;
  for (const Axis axis : order) {
    // The pipe axis is not yet the user's to place.
    if (axis != Axis::pipe) text += name_of(axis).front();
  }
  return text;
}

}  // namespace fourfold
