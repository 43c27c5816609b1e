#pragma once
// The report as tables for a terminal, at most about 100 columns wide.

#include <string>

#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// Step time, FLOP rates, time by collective, kernels, memory, network.
std::string terminal_report(const RunReport& report);

/// A few lines on what is run, and where.
std::string setup_lines(const RunSetup& setup);

/// Memory by kind against the GPU's memory, and where the peak is reached.
std::string memory_table(const RunReport& report);

}  // namespace fourfold::sim
