#pragma once
// "Did you mean": used wherever a user types a name (models, machines, JSON keys, flags' values).

#include <string>
#include <string_view>
#include <vector>

namespace fourfold {

/// The known name with the smallest edit distance to `name`; empty when nothing is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// `unknown model "gpt-80"; did you mean "gpt-80b"? Known: ...`
std::string unknown_name_message(std::string_view what, std::string_view name,
                                 const std::vector<std::string>& known);

}  // namespace fourfold
