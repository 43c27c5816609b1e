#pragma once
// FLOPs of a training step in the two ways the field reports them, each counted in the recorded
// program and computed from the published formula, so that one checks the other.

#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// Everything that is computed. Counts the scores that flash attention computes again, which the formula leaves out.
StepFlops hardware_flops(const RunSetup& setup, const StepProgram& program);

/// Without what is computed twice: kernels in ranges named "recompute", flash attention's scores.
StepFlops model_flops(const RunSetup& setup, const StepProgram& program);

}  // namespace fourfold::sim
