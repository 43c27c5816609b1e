#pragma once
// The flags of `simulate` that disturb the step.

#include "core/cli/arguments.hpp"
#include "sim/disturbances.hpp"

namespace fourfold::sim {

boost::program_options::options_description disturbance_options();

/// Throws ConfigError naming the flag where a value is malformed; ranges and names are checked by simulate.
Disturbances read_disturbances(const Arguments& arguments);

}  // namespace fourfold::sim
