#pragma once
// Flags that change how fast the GPUs of a machine are taken to be.

#include "core/cli/arguments.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {

/// --tune-kernels, --gpu-spread.
void add_gpu_options(boost::program_options::options_description& options);

/// Throws ConfigError.
void apply_gpu_options(const Arguments& arguments, Machine& machine);

}  // namespace fourfold::sim
