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

/// Whether a row was measured on `machine`.
bool is_row_of(const MeasuredRow& row, const MeasuredNames& names, const Machine& machine);

/// Rows of machines that have no platform, by reason.
std::map<std::string, int> rows_without_machine(const MeasuredTable& table,
                                                const MeasuredNames& names);

/// Columns: machine, gpus, nodes, library, op, bytes (of the full buffer), time_us, notes. Ideal: the ring at the full
/// rate of the links.
ComparisonSet compare_collectives(const MeasuredTable& table, const MeasuredNames& names,
                                  const Machine& machine);

/// Columns: figure_or_table, machine, model_params ("5B"), gpus, framework, batch_tokens, metric, value. Rows whose metric is
/// time_per_batch, 8,192 sequences of 2,048 tokens; no grid is published, so the planner's best is taken. Ideal: the
/// hardware FLOPs of Narayanan et al. at peak.
ComparisonSet compare_steps(const MeasuredTable& table, const MeasuredNames& names,
                            const Machine& machine);

/// The same columns. Seconds that each optimisation of a series saved (Figs 5 and 7), not whole steps; grids as the planner
/// chooses them for the first run of a series that is not confined to one node. Ideal: a fixed part of the step.
ComparisonSet compare_ablations(const MeasuredTable& table, const MeasuredNames& names,
                                const Machine& machine);

}  // namespace fourfold::sim
