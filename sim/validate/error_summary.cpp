#include "sim/validate/error_summary.hpp"

#include <algorithm>
#include <cmath>

#include "sim/cli/agreement.hpp"

namespace fourfold::sim {
namespace {

ErrorLevels levels(const std::vector<double>& errors) {
  return {.median = percentile(errors, 0.5),
          .p90 = percentile(errors, 0.9),
          .largest = *std::ranges::max_element(errors)};
}

/// The times of some rows, as two columns.
struct Times {
  std::vector<double> predicted, measured;
};

void add(Times& times, const Comparison& row) {
  times.predicted.push_back(row.predicted);
  times.measured.push_back(row.measured);
}

void add_regret(ErrorSummary& summary, std::span<const Comparison> rows) {
  std::map<std::string, Times> contests;
  for (const Comparison& row : rows) {
    if (!row.contest.empty()) add(contests[row.part + row.contest], row);
  }
  for (const auto& [name, times] : contests) {
    if (times.measured.size() < 2) continue;
    ++summary.contests;
    summary.mean_regret += agreement(times.predicted, times.measured).regret;
  }
  if (summary.contests > 0) summary.mean_regret /= static_cast<double>(summary.contests);
}

double fitted_efficiency(std::span<const Comparison> rows) {
  std::vector<double> ratios;
  for (const Comparison& row : rows) ratios.push_back(row.ideal / row.measured);
  return percentile(std::move(ratios), 0.5);
}

std::vector<double> baseline_errors(std::span<const Comparison> rows) {
  const double efficiency = fitted_efficiency(rows);
  std::vector<double> errors;
  for (const Comparison& row : rows) {
    errors.push_back(std::abs(row.ideal / efficiency / row.measured - 1));
  }
  return errors;
}

}  // namespace

double relative_error(const Comparison& row) {
  return std::abs(row.predicted / row.measured - 1);
}

double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double position = share * static_cast<double>(values.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double rest = position - static_cast<double>(below);
  return values[below] + rest * (values[above] - values[below]);
}

ErrorSummary summarise(const std::string& part, std::span<const Comparison> rows) {
  ErrorSummary summary;
  summary.part = part;
  summary.rows = rows.size();
  Times times;
  std::vector<double> errors, signed_errors;
  for (const Comparison& row : rows) {
    add(times, row);
    errors.push_back(relative_error(row));
    signed_errors.push_back(row.predicted / row.measured - 1);
  }
  summary.error = levels(errors);
  summary.bias = percentile(signed_errors, 0.5);
  if (rows.size() > 1) summary.spearman = agreement(times.predicted, times.measured).spearman;
  summary.baseline_efficiency = fitted_efficiency(rows);
  summary.baseline = levels(baseline_errors(rows));
  add_regret(summary, rows);
  return summary;
}

std::vector<ErrorSummary> summarise_parts(const std::vector<Comparison>& rows) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<Comparison>> parts;
  for (const Comparison& row : rows) {
    if (!parts.contains(row.part)) names.push_back(row.part);
    parts[row.part].push_back(row);
  }
  std::vector<ErrorSummary> summaries;
  std::vector<double> baseline;
  for (const std::string& name : names) {
    summaries.push_back(summarise(name, parts[name]));
    const std::vector<double> errors = baseline_errors(parts[name]);
    baseline.insert(baseline.end(), errors.begin(), errors.end());
  }
  if (names.size() > 1) {
    ErrorSummary all = summarise("all", rows);
    all.baseline = levels(baseline);
    all.baseline_efficiency = 0;
    summaries.push_back(all);
  }
  return summaries;
}

}  // namespace fourfold::sim
