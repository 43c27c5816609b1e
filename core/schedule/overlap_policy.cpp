#include "core/schedule/overlap_policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold {

OverlapPolicy parse_overlap(std::string_view text) {
  if (text == "none") return OverlapPolicy::none();
  if (text == "paper") return OverlapPolicy::paper();
  if (text == "all") return OverlapPolicy::all();
  OverlapPolicy policy;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (word == "oar") policy.all_reduce = true;
    else if (word == "ors") policy.reduce_scatter = true;
    else if (word == "oag") policy.all_gather = true;
    else if (word == "odp") policy.data = true;
    else throw ConfigError(unknown_name_message("overlap", word, {"none", "paper", "all", "oar", "ors", "oag", "odp"}));
    begin = end + 1;
  }
  return policy;
}

std::string to_string(const OverlapPolicy& policy) {
  if (policy == OverlapPolicy::none()) return "none";
  if (policy == OverlapPolicy::paper()) return "paper";
  if (policy == OverlapPolicy::all()) return "all";
  std::vector<std::string_view> words;
  if (policy.all_reduce) words.push_back("oar");
  if (policy.reduce_scatter) words.push_back("ors");
  if (policy.all_gather) words.push_back("oag");
  if (policy.data) words.push_back("odp");
  return fmt::format("{}", fmt::join(words, ","));
}

}  // namespace fourfold
