#pragma once
// The published runs of AxoNN (SC24, arXiv 2502.08145) as configurations of ours.

#include <optional>
#include <string>

#include "core/analytic/planner.hpp"
#include "sim/machine.hpp"
#include "sim/validate/measured_table.hpp"

namespace fourfold::sim {

/// Why a row is not one of AxoNN's runs on 8,192 sequences of 2,048 tokens; empty if it is one.
std::string not_a_published_run(const MeasuredRow& row);

/// The model of a row, by its "model_params" ("5B"). Its vocabulary is padded as Megatron-LM does it, so that any number of
/// tensor-parallel ranks divides it.
GptConfig published_model(const MeasuredRow& row);

/// Everything but the grid, which is not published. Full recomputation, the overlap of the paper, and flash attention: the
/// launch scripts have --use-flash-attn on both kinds of GPU (axonn-ai/Megatron-AxoNN, examples/template_perlmutter.sh,
/// run_axonn_amd.sh).
PlanRequest published_request(const MeasuredRow& row);

/// With the kernel tuning of section V.C, which all runs have that are not said to be without.
StepModel published_step_model(const MeasuredRow& row, const Machine& machine, bool tuned);

/// As the paper chooses (section V.B): of the ten grids that its authors' communication model ranks first the one that takes
/// least time, here as `model` predicts it. On machines without a table of bandwidths the fastest of all grids. Nothing
/// when no grid fits.
std::optional<Plan> published_plan(StepModel& model, const PlanRequest& request);

}  // namespace fourfold::sim
