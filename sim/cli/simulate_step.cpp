#include "sim/cli/simulate_step.hpp"

#include <cmath>

#include "core/schedule/train_step.hpp"
#include "sim/report/linear_continuation.hpp"

namespace fourfold::sim {
namespace {

constexpr std::int64_t kFewestReplayed = 2;
constexpr std::int64_t kMostReplayed = 12;
constexpr double kAgreement = 1e-4;

bool is_steady(const std::vector<RunReport>& reports) {
  if (reports.size() < 3) return false;
  const auto step_time = [&](std::size_t back) {
    return reports[reports.size() - back].result.step_time;
  };
  const Seconds before = step_time(2) - step_time(3);
  const Seconds now = step_time(1) - step_time(2);
  return std::abs(now - before) <= kAgreement * now;
}

RunReport simulate_program(const RunSetup& setup, const StepProgram& program,
                           std::int64_t micro_batches, const Machine& machine,
                           const SimulationOptions& options) {
  RunReport report = describe_run(setup, program);
  report.result = simulate(program, setup.train.grid, machine, options);
  report.replayed_micro_batches = micro_batches;
  return report;
}

}  // namespace

RunReport simulate_step(const RunReport& described, const RecordedStep& step,
                        const Machine& machine, const SimulationOptions& options) {
  const RunSetup& setup = described.setup;
  const std::int64_t all = step.train.micro_batches();
  if (step.recorded_micro_batches == all) {
    return simulate_program(setup, step.program, all, machine, options);
  }
  std::vector<RunReport> reports;
  for (std::int64_t count = kFewestReplayed; count <= kMostReplayed; ++count) {
    const StepProgram program =
        record_train_step(setup.model, with_micro_batches(step.train, count));
    reports.push_back(simulate_program(setup, program, count, machine, options));
    if (is_steady(reports))
      return continue_linearly(reports[reports.size() - 2], reports.back(), all);
  }
  check_micro_batches(step.train);
  return simulate_program(setup, record_train_step(setup.model, step.train), all, machine, options);
}

}  // namespace fourfold::sim
