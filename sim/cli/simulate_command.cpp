// fourfold-sim simulate: one training step of a model on a machine.

#include <chrono>
#include <iostream>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/base/error.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/framework_option.hpp"
#include "sim/cli/gpu_options.hpp"
#include "sim/cli/kernel_profile_option.hpp"
#include "sim/cli/output_options.hpp"
#include "sim/cli/progress_bar.hpp"
#include "sim/cli/record_step.hpp"
#include "sim/cli/run_configuration.hpp"
#include "sim/cli/simulate_options.hpp"
#include "sim/cli/simulate_step.hpp"
#include "sim/report/terminal_report.hpp"
#include "sim/report/text_table.hpp"

namespace fourfold::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kExamples = R"(Examples:
  fourfold-sim simulate --model gpt-80b --machine perlmutter --gpus 1024 --grid 4x1x32x8 --batch 8192
  fourfold-sim simulate --model gpt-20b --machine perlmutter --grid 2x2x4x2 --batch 512 --overlap oar,oag \
      --json result.json --trace timeline.json
  fourfold-sim simulate --model mine.json --machine cluster.xml --grid 1x1x8x1 --batch 64 --seq 1024 \
      --micro-batch 2 --recompute none --csv runs.csv
  fourfold-sim simulate --model gpt2-small --machine perlmutter --grid 2x1x2x1 --batch 8 --dump-program -
)";

void check_machine_size(const Grid& grid, const Machine& machine) {
  if (grid.world_size() <= machine.gpus) return;
  throw ConfigError(fmt::format(
      "grid {} has {} ranks, but machine {} has {} GPUs; choose a smaller grid or a larger "
      "machine",
      grid.to_string(), grid.world_size(), machine.name, machine.gpus));
}

int report_does_not_fit(const RunReport& report, bool print) {
  if (print) std::cout << setup_lines(report.setup) << "\n" << memory_table(report);
  fmt::print(stderr,
             "fourfold-sim: does not fit: {:.2f} GiB needed of {:.2f} GiB; use more ranks along x, "
             "y or z, a smaller "
             "--micro-batch or --recompute full\n",
             static_cast<double>(report.memory.needed()) / kGiB,
             static_cast<double>(report.setup.gpu_memory) / kGiB);
  return 1;
}

/// What the simulator itself needed. On standard error, so that the report is the same from run to
/// run.
void print_cost(const RunReport& report, Seconds simulation, Seconds total) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto rate = [&](std::int64_t count) {
    return grouped(static_cast<std::int64_t>(static_cast<double>(count) / simulation));
  };
  fmt::print(
      stderr,
      "simulated {} ranks by {} in {:.2f} s ({:.2f} s in all, {:.0f} MB peak memory): {} rank "
      "operations/s, "
      "{} flows/s\n",
      grouped(report.setup.gpus()), grouped(report.result.replayed_ranks), simulation, total,
      static_cast<double>(usage.ru_maxrss) * 1024 / kMega, rate(report.result.rank_operations),
      rate(report.result.flows));
}

RunReport simulate_with_progress(const RunReport& described, const RecordedStep& step,
                                 const Machine& machine, SimulationOptions options, bool quiet) {
  ProgressBar bar(quiet);
  options.progress = [&](double fraction) { bar.show(fraction); };
  return simulate_step(described, step, machine, options);
}

/// Simulates the step without disturbances, and with each alone.
void add_disturbance_costs(RunReport& report, const RecordedStep& step, const Machine& machine,
                           SimulationOptions options) {
  const auto step_time = [&](const Disturbances& disturbances) {
    options.disturbances = disturbances;
    return simulate_step(report, step, machine, options).result.step_time;
  };
  const std::vector<NamedDisturbance> each = one_by_one(options.disturbances);
  if (each.empty()) return;
  report.undisturbed_step_time = step_time({});
  if (each.size() == 1) {
    report.disturbances = {{each[0].name, report.result.step_time}};
    return;
  }
  for (const NamedDisturbance& disturbance : each) {
    report.disturbances.push_back({disturbance.name, step_time(disturbance.alone)});
  }
}

Seconds since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int run_simulate(const Words& words) {
  const Clock::time_point start = Clock::now();
  const auto options = simulate_options().add(output_options());
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim simulate --model NAME --machine NAME --grid XxYxZxDATA "
                 "--batch N [flags]\n"
              << options << "\n"
              << kExamples;
    return 0;
  }
  const SimulateRequest request = read_simulate_request(arguments);
  const OutputOptions outputs(arguments);
  const bool print = !request.quiet && !outputs.use_standard_output();
  Machine machine = load_machine(request.machine);
  machine.gpu.profile = read_kernel_profile_option(arguments);
  apply_gpu_options(arguments, machine);
  check_machine_size(request.train.grid, machine);

  const FrameworkMemory framework = read_framework_option(arguments, machine);
  const Bytes capacity = memory_for_tensors(framework, request.train.grid, machine.gpu.memory);
  const RecordedStep step =
      record_step(request.model, request.train, request.micro_batch, capacity, request.fold_time);
  outputs.write_program(step.program);
  RunReport report =
      describe_run(describe_setup(request.model, step.train, machine, framework), step.program);
  if (!fits(report.memory, machine.gpu.memory)) return report_does_not_fit(report, print);

  const Clock::time_point simulation_start = Clock::now();
  report = simulate_with_progress(report, step, machine, request.simulation, request.quiet);
  add_disturbance_costs(report, step, machine, request.simulation);
  const Seconds simulation = since(simulation_start);
  outputs.write_report(report);
  if (print) std::cout << terminal_report(report);
  if (!request.quiet) print_cost(report, simulation, since(start));
  return 0;
}

}  // namespace

const Command kSimulateCommand = {"simulate", "one training step of a model on a machine",
                                  run_simulate};

}  // namespace fourfold::sim
