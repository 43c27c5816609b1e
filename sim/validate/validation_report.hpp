#pragma once
// The result of `fourfold-sim validate` as tables for the terminal, CSV and JSON.

#include <string>
#include <string_view>

#include "sim/validate/comparison.hpp"

namespace fourfold::sim {

/// Errors of every part beside those of the baseline, the worst rows, what was left out.
std::string validation_text(std::string_view set_name, const ComparisonSet& set);

/// One line per row, without the header. A set has either times or memory; the other columns stay empty.
inline constexpr std::string_view kValidationCsvHeader =
    "set,part,label,measured_s,predicted_s,error,measured_GiB,predicted_GiB\n";
std::string validation_csv(std::string_view set_name, const ComparisonSet& set);

/// The summaries as an array, text of one JSON object.
std::string validation_json(std::string_view set_name, const ComparisonSet& set);

}  // namespace fourfold::sim
