#pragma once
// Subcommands of fourfold-sim: one file each, listed in main.cpp.

#include <string_view>

#include "core/cli/arguments.hpp"

namespace fourfold::sim {

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Returns the exit code: 0 done, 1 failed or does not fit. Throws ConfigError on bad usage or
  /// input (exit 2) and other Errors (exit 1).
  int (*run)(const Words& words);
};

extern const Command kSimulateCommand;
extern const Command kPlanCommand;
extern const Command kSweepCommand;
extern const Command kModelsCommand;
extern const Command kMachinesCommand;
extern const Command kValidateCommand;
extern const Command kCollectiveCommand;

}  // namespace fourfold::sim
