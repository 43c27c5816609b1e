#pragma once
// The report as JSON; the keys, with their units, are listed in sim/report/README.md.

#include <string>

#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// Indented, keys in a fixed order, equal byte for byte for equal reports.
std::string json_report(const RunReport& report);

}  // namespace fourfold::sim
