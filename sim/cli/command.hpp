#pragma once
// Subcommands of fourfold-sim: one file each, listed in main.cpp.

#include <string>
#include <string_view>
#include <vector>

namespace fourfold::sim {

/// What follows the subcommand on the command line.
using Words = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Returns the exit code: 0 done, 1 failed or does not fit. Throws ConfigError on bad usage or
  /// input (exit 2) and other Errors (exit 1).
  int (*run)(const Words& words);
};

extern const Command kSimulateCommand;
extern const Command kModelsCommand;
extern const Command kMachinesCommand;

}  // namespace fourfold::sim
