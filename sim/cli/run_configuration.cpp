#include "sim/cli/run_configuration.hpp"

#include "core/base/error.hpp"
#include "sim/cli/record_step.hpp"
#include "sim/cli/simulate_step.hpp"

namespace fourfold::sim {

RunSetup describe_setup(const GptConfig& model, const TrainConfig& train, const Machine& machine,
                        const FrameworkMemory& framework) {
  RunSetup setup;
  setup.model = model;
  setup.train = train;
  setup.machine = machine.name;
  setup.gpu = machine.gpu.name;
  setup.peak_flops = machine.gpu.peak_flops;
  setup.empirical_peak_flops = machine.gpu.empirical_peak_flops;
  setup.gpu_memory = machine.gpu.memory;
  setup.kernel_slowdown = slowdown(machine.fleet, train.grid.world_size());
  setup.framework = framework;
  return setup;
}

RunReport run_configuration(const GptConfig& model, const TrainConfig& train,
                            std::optional<std::int64_t> micro_batch, const Machine& machine,
                            const FrameworkMemory& framework) {
  const Bytes capacity = memory_for_tensors(framework, train.grid, machine.gpu.memory);
  const RecordedStep step = record_step(model, train, micro_batch, capacity);
  const RunReport report =
      describe_run(describe_setup(model, step.train, machine, framework), step.program);
  if (!fits(report.memory, machine.gpu.memory)) {
    throw OutOfMemory(report.memory.needed(), machine.gpu.memory, report.memory.peak_place);
  }
  SimulationOptions options;
  options.traced_ranks = {};
  return simulate_step(report, step, machine, options);
}

}  // namespace fourfold::sim
