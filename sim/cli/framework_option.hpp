#pragma once
// --framework-memory: what takes memory of a GPU beside the tensors (core/cost/framework_memory.hpp).

#include "core/cli/arguments.hpp"
#include "core/cost/framework_memory.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {

void add_framework_option(boost::program_options::options_description& options);

/// What the flag stands for; without it that of the machine's GPUs. Throws ConfigError for an unknown name and for what
/// is wrong in the file.
FrameworkMemory read_framework_option(const Arguments& arguments, const Machine& machine);

/// What usually runs on the machine's GPUs, by the name in their file; none where it has no name.
FrameworkMemory usual_framework(const Machine& machine);

}  // namespace fourfold::sim
