#include "sim/validate/validation_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/text_table.hpp"
#include "sim/validate/error_summary.hpp"

namespace fourfold::sim {
namespace {

constexpr std::size_t kWorstRows = 8;

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

std::string summary_table(const std::vector<ErrorSummary>& summaries) {
  TextTable table({"errors in %", "rows", "median", "p90", "worst", "bias", "Spearman", "regret",
                   "| one efficiency:", "median", "p90"});
  for (const ErrorSummary& s : summaries) {
    table.add_row({s.part, std::to_string(s.rows), percent(s.error.median), percent(s.error.p90),
                   percent(s.error.largest), fmt::format("{:+.1f}", 100 * s.bias),
                   s.spearman ? fmt::format("{:.3f}", *s.spearman) : "",
                   s.contests > 0 ? percent(s.mean_regret) : "",
                   s.baseline_efficiency > 0 ? fmt::format("{:.3f}", s.baseline_efficiency) : "",
                   percent(s.baseline.median), percent(s.baseline.p90)});
  }
  return table.to_string();
}

std::string worst_table(std::vector<Comparison> rows, Quantity quantity) {
  const bool is_time = quantity == Quantity::time;
  const double unit = is_time ? 1e-3 : kGiB;
  std::ranges::stable_sort(rows, std::greater<>(), relative_error);
  rows.resize(std::min(rows.size(), kWorstRows));
  const std::string name = is_time ? "ms" : "GiB";
  TextTable table({"worst rows", "", "measured " + name, "predicted " + name, "error %"});
  for (const Comparison& row : rows) {
    table.add_row({row.part, row.label, fmt::format("{:.4g}", row.measured / unit),
                   fmt::format("{:.4g}", row.predicted / unit),
                   fmt::format("{:+.1f}", 100 * (row.predicted / row.measured - 1))});
  }
  return table.to_string();
}

std::string quoted(std::string text) {
  std::ranges::replace(text, '"', '\'');
  return "\"" + text + "\"";
}

nlohmann::ordered_json levels_json(const ErrorLevels& levels) {
  return {{"median", levels.median}, {"p90", levels.p90}, {"worst", levels.largest}};
}

}  // namespace

std::string validation_text(std::string_view set_name, const ComparisonSet& set) {
  std::string text = fmt::format("{}: predicted against published\n\n", set_name);
  if (set.rows.empty()) {
    text += "  no rows to compare\n";
  } else {
    text += summary_table(summarise_parts(set.rows)) + "\n" + worst_table(set.rows, set.quantity);
  }
  if (!set.left_out.empty()) text += "\n  left out:\n";
  for (const auto& [reason, rows] : set.left_out)
    text += fmt::format("  {:>6}  {}\n", rows, reason);
  return text + "\n";
}

std::string validation_csv(std::string_view set_name, const ComparisonSet& set) {
  std::string text;
  for (const Comparison& row : set.rows) {
    const double error = row.predicted / row.measured - 1;
    text += fmt::format("{},{},{},", set_name, quoted(row.part), quoted(row.label));
    text += set.quantity == Quantity::time
                ? fmt::format("{},{},{:.6f},,\n", row.measured, row.predicted, error)
                : fmt::format(",,{:.6f},{},{}\n", error, row.measured / kGiB, row.predicted / kGiB);
  }
  return text;
}

std::string validation_json(std::string_view set_name, const ComparisonSet& set) {
  nlohmann::ordered_json json = {{"set", set_name}, {"left_out", set.left_out}};
  json["parts"] = nlohmann::ordered_json::array();
  if (!set.rows.empty()) {
    for (const ErrorSummary& s : summarise_parts(set.rows)) {
      nlohmann::ordered_json part = {{"part", s.part},
                                     {"rows", s.rows},
                                     {"error", levels_json(s.error)},
                                     {"bias", s.bias},
                                     {"baseline_error", levels_json(s.baseline)}};
      if (s.spearman) part["spearman"] = *s.spearman;
      if (s.contests > 0) part["regret"] = s.mean_regret;
      json["parts"].push_back(part);
    }
  }
  return json.dump(2);
}

}  // namespace fourfold::sim
