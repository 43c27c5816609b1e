#pragma once
// Published steps of Megatron-LM, ZeRO-3 and FSDP beside the analytical model, on the grid that stands for them.

#include "sim/machine.hpp"
#include "sim/validate/comparison.hpp"
#include "sim/validate/measured_names.hpp"
#include "sim/validate/measured_table.hpp"

namespace fourfold::sim {

/// Columns: machine, framework, gpus, layers, hidden, heads, seq, vocab, global_batch, micro_batch, tp, dp, weights
/// ("replicated": grid tp x 1 x 1 x dp; "zero3": tp x 1 x dp x 1), recompute, attention, iter_time_s. Collectives of
/// ZeRO-3 and FSDP hide behind computation, those of Megatron do not. Rows of one model, number of GPUs and batch are a
/// contest. Ideal: the FLOPs of Narayanan et al. at peak.
///
/// `host_time`: what the host needs for a layer of one micro-batch, forward and backward, in a framework that launches
/// kernel by kernel; no step is shorter than all of its layers. 0: the host is never the limit.
ComparisonSet compare_megatron(const MeasuredTable& table, const MeasuredNames& names,
                               const Machine& machine, Seconds host_time);

}  // namespace fourfold::sim
