#pragma once
// Predictions beside what was measured.

#include <map>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace fourfold::sim {

struct Comparison {
  std::string part;     ///< rows of one machine or GPU and library; errors are summed up by part
  std::string contest;  ///< rows that a user would choose among; empty: none
  std::string label;
  double measured = 0;  ///< in seconds or bytes, whatever the set's quantity is
  double predicted = 0;
  double ideal = 0;  ///< at the data sheet's rates; over one fitted efficiency it is the baseline
};

enum class Quantity { time, memory };

struct ComparisonSet {
  Quantity quantity = Quantity::time;
  std::vector<Comparison> rows;
  std::map<std::string, int> left_out;  ///< number of rows by reason
};

/// |predicted / measured - 1|.
double relative_error(const Comparison& row);

}  // namespace fourfold::sim
