#pragma once
// From a recorded step to its report, with folding in time.

#include "sim/cli/record_step.hpp"
#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// Simulates the step. Of a step that was recorded in part, programs of 2, 3, 4, ... micro-batches are replayed until
/// two increments of the step time agree to 1e-4, and continued linearly; where they do not by the 12th, all are
/// replayed. `described` is what describe_run says of the recorded program. Throws what simulate and record_step throw.
RunReport simulate_step(const RunReport& described, const RecordedStep& step,
                        const Machine& machine, const SimulationOptions& options);

}  // namespace fourfold::sim
