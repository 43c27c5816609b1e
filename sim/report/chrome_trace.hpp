#pragma once
// The timeline of the traced ranks in Chrome's trace event format, which Perfetto (ui.perfetto.dev)
// and chrome://tracing open: one process per rank, one thread per stream, the program's range as an
// argument. Source: "Trace Event Format", Google, the JSON object form with complete events (ph =
// X), times in microseconds.

#include <string>

#include "sim/report/run_report.hpp"

namespace fourfold::sim {

std::string chrome_trace(const RunReport& report);

}  // namespace fourfold::sim
