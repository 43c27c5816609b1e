#pragma once
// Published memory of training beside closed formulas (core/analytic/memory_formulas.hpp) and beside our own step.

#include "sim/validate/comparison.hpp"
#include "sim/validate/measured_table.hpp"

namespace fourfold::sim {

/// Columns: framework ("Megatron-LM", "Megatron-Core"), model, table, layers, hidden, heads, key_value_width, ffn, gated,
/// seq, vocab, micro_batch, tp, pp, dp, cp, interleave, seq_parallel, kept ("all", "without_attention",
/// "only_layer_inputs"), distributed_optimizer, quantity ("weights and optimizer", "activations", "peak"), memory_GiB.
///
/// The name of a part says what predicts it: "formula" for the closed forms; "own step" for the accounted memory of the
/// step that we record, where a grid stands for the published run (one pipeline stage, no sequence parallelism, GPT).
/// In bytes. Ideal: weights spread over the GPUs for states and peaks, one hidden vector a token and layer for
/// activations.
ComparisonSet compare_memory(const MeasuredTable& table);

}  // namespace fourfold::sim
