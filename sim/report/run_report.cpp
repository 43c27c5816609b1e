#include "sim/report/run_report.hpp"

#include <algorithm>
#include <utility>

#include "sim/report/step_flops.hpp"

namespace fourfold::sim {

Seconds RunReport::other_idle() const {
  Seconds exposed = 0;
  for (const CollectiveTime& collective : result.collectives) exposed += collective.exposed;
  return std::max(0.0, result.step_time - result.compute_busy - exposed);
}

RunReport describe_run(RunSetup setup, const StepProgram& program) {
  RunReport report;
  report.hardware_flops = hardware_flops(setup, program);
  report.model_flops = model_flops(setup, program);
  report.memory = {
      program.resident_memory, program.peak_memory, program.peak_place,
      framework_use(setup.framework, setup.train.grid, total(program.peak_memory))};
  report.ranges = program.ranges;
  report.setup = std::move(setup);
  return report;
}

bool fits(const StepMemory& memory, Bytes gpu_memory) {
  return memory.needed() <= gpu_memory;
}

}  // namespace fourfold::sim
