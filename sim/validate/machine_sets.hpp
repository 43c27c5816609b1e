#pragma once
// Measured collectives and training steps beside the models, for the rows of one machine: SimGrid holds one platform a
// process.

#include "sim/machine.hpp"
#include "sim/validate/comparison.hpp"
#include "sim/validate/measured_names.hpp"
#include "sim/validate/measured_table.hpp"

namespace fourfold::sim {

/// The machines, by our names, that rows of the table are of.
std::vector<std::string> machines_of(const MeasuredTable& table, const MeasuredNames& names);

/// Rows of machines that have no platform, by reason.
std::map<std::string, int> rows_without_machine(const MeasuredTable& table,
                                                const MeasuredNames& names);

/// Columns: machine, gpus, nodes, library, op, bytes (of the full buffer), time_us, notes. Ideal: the ring at the full
/// rate of the links.
ComparisonSet compare_collectives(const MeasuredTable& table, const MeasuredNames& names,
                                  const Machine& machine);

/// Columns: machine, model_params ("5B"), gpus, framework, Gx, Gy, Gz, Gdata, metric, value. Rows whose metric is
/// time_per_batch, 8,192 sequences of 2,048 tokens; where the grid is not published, the planner's best. Ideal: the
/// hardware FLOPs of Narayanan et al. at peak.
ComparisonSet compare_steps(const MeasuredTable& table, const MeasuredNames& names,
                            const Machine& machine);

}  // namespace fourfold::sim
