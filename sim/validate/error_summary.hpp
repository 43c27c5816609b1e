#pragma once
// How far predictions are off, and whether they beat a formula with one fitted efficiency.

#include <optional>
#include <span>

#include "sim/validate/comparison.hpp"

namespace fourfold::sim {

/// Median and 90th percentile of |predicted / measured - 1|. Percentiles interpolate linearly between the sorted values.
struct ErrorLevels {
  double median = 0, p90 = 0, largest = 0;
};

struct ErrorSummary {
  std::string part;
  std::size_t rows = 0;
  ErrorLevels error;
  double bias = 0;  ///< median of predicted / measured - 1
  /// Rank correlation of predicted and measured times; none for a single row.
  std::optional<double> spearman;
  /// Baseline: ideal / efficiency, the efficiency being the median of ideal / measured of these very rows.
  double baseline_efficiency = 0;
  ErrorLevels baseline;
  std::size_t contests = 0;  ///< of at least two rows
  double mean_regret = 0;    ///< measured time of the choice by prediction over the best, minus one
};

/// `rows` must not be empty.
ErrorSummary summarise(const std::string& part, std::span<const Comparison> rows);

/// One summary for each part in order of its first row and, with several parts, one of all rows named "all".
/// The baseline of "all" keeps one efficiency per part.
std::vector<ErrorSummary> summarise_parts(const std::vector<Comparison>& rows);

/// `share` from 0 to 1; `values` must not be empty.
double percentile(std::vector<double> values, double share);

}  // namespace fourfold::sim
