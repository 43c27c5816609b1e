#pragma once
// Records, checks and simulates one configuration: what a task of `plan --verify` and `sweep` does.

#include <optional>

#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// Without `micro_batch` the largest that fits beside `framework`. Throws OutOfMemory when the step does not fit the
/// GPU, and what record_step and simulate throw.
RunReport run_configuration(const GptConfig& model, const TrainConfig& train,
                            std::optional<std::int64_t> micro_batch, const Machine& machine,
                            const FrameworkMemory& framework);

/// What `plan` and the reports say of a configuration before it is run.
RunSetup describe_setup(const GptConfig& model, const TrainConfig& train, const Machine& machine,
                        const FrameworkMemory& framework);

}  // namespace fourfold::sim
