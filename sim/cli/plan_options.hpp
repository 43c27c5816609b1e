#pragma once
// The flags of `fourfold-sim plan` and what they mean.

#include <optional>

#include "core/analytic/planner.hpp"
#include "core/cli/arguments.hpp"
#include "sim/machine.hpp"
#include "sim/report/output_file.hpp"

namespace fourfold::sim {

boost::program_options::options_description plan_options();

struct PlanCommandRequest {
  GptConfig model;
  Machine machine;
  FrameworkMemory framework;
  PlanRequest search;
  CommVariant variant = CommVariant::fitted;
  std::size_t top = 10;      ///< plans to print
  std::size_t verified = 0;  ///< plans to simulate
  int jobs = 1;              ///< simulations at a time
  std::optional<Grid> explain;
  std::optional<OutputFile> json, csv;
  bool quiet = false;
};

/// Loads the machine into the process's SimGrid engine. Throws ConfigError.
PlanCommandRequest read_plan_request(const Arguments& arguments);

/// What the analytical model needs of a machine: its constants, and the table of bandwidths in
/// bandwidths/NAME.json beside its file or beside the machines that are shipped, if there is one.
AnalyticMachine analytic_machine(const Machine& machine);

}  // namespace fourfold::sim
