#pragma once
// --kernel-profile: a CSV file of measured kernel times (core/cost/README.md has its format).

#include "core/cli/arguments.hpp"
#include "core/cost/kernel_profile.hpp"

namespace fourfold::sim {

void add_kernel_profile_option(boost::program_options::options_description& options);

/// The profile of the flag, or null where there is none. Throws ConfigError naming file, line and column.
std::shared_ptr<const KernelProfile> read_kernel_profile_option(const Arguments& arguments);

}  // namespace fourfold::sim
