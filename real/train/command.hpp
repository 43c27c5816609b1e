#pragma once
// The commands of fourfold-train. Each returns the exit code 0 and throws ConfigError for bad usage or input (exit 2),
// other Errors for failures (exit 1).

#include "core/cli/arguments.hpp"

namespace fourfold::real {

int train_command(const Words& words);
int generate_command(const Words& words);
int export_command(const Words& words);

}  // namespace fourfold::real
