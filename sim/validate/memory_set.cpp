#include "sim/validate/memory_set.hpp"

#include <fmt/format.h>

#include "core/analytic/memory_formulas.hpp"
#include "core/schedule/train_step.hpp"

namespace fourfold::sim {
namespace {

constexpr const char* kStates = "weights and optimizer";
constexpr const char* kActivations = "activations";
constexpr const char* kPeak = "peak";

bool is_yes(const MeasuredRow& row, const std::string& column) {
  return row.text(column) == "yes";
}

KeptActivations read_kept(const MeasuredRow& row) {
  const std::string& kept = row.choice("kept", {"all", "without_attention", "only_layer_inputs"});
  if (kept == "all") return KeptActivations::all;
  return kept == "without_attention" ? KeptActivations::without_attention
                                     : KeptActivations::only_layer_inputs;
}

const std::string& read_quantity(const MeasuredRow& row) {
  return row.choice("quantity", {kStates, kActivations, kPeak});
}

MegatronSetup read_setup(const MeasuredRow& row) {
  return {.layers = row.positive_integer("layers"),
          .hidden = row.positive_integer("hidden"),
          .heads = row.positive_integer("heads"),
          .sequence = row.positive_integer("seq"),
          .vocabulary = row.positive_integer("vocab"),
          .ffn = row.positive_integer("ffn"),
          .key_value_width = row.positive_integer("key_value_width"),
          .gated = is_yes(row, "gated"),
          .micro_batch = row.positive_integer("micro_batch"),
          .tensor = row.positive_integer("tp"),
          .pipeline = row.positive_integer("pp"),
          .interleave = row.positive_integer("interleave"),
          .data = row.positive_integer("dp"),
          .sequence_parallel = is_yes(row, "seq_parallel"),
          .distributed_optimizer = is_yes(row, "distributed_optimizer"),
          .kept = read_kept(row)};
}

/// Why the row is outside what the formulas describe; empty when it is inside.
std::string reason_to_leave_out(const MeasuredRow& row) {
  const std::string& framework = row.text("framework");
  const std::string& quantity = read_quantity(row);
  if (framework == "Megatron-DeepSpeed")
    return "Megatron-DeepSpeed with ZeRO-1: rounded to 1 GB, what was read is not said, and the "
           "framework's share is unexplained (about 5 GiB, EleutherAI cookbook)";
  if (row.text("cp") != "1") return "context parallelism: no formula";
  if (quantity == kPeak && !is_yes(row, "gated"))
    return "peak of a GPT: only a Llama's has a formula";
  if (quantity != kPeak && is_yes(row, "gated")) return "parts of a Llama's memory: no formula";
  return "";
}

double formula(const MegatronSetup& setup, const std::string& quantity) {
  if (quantity == kPeak) return llama_peak_bytes(setup);
  if (quantity == kActivations)
    return first_stage_activation_bytes(setup, gpt_layer_activation_bytes(setup));
  return model_state_bytes_per_parameter(setup) * layer_parameters(setup) /
         static_cast<double>(setup.tensor * setup.pipeline);
}

double ideal(const MegatronSetup& setup, const std::string& quantity) {
  if (quantity != kActivations)
    return layer_parameters(setup) / static_cast<double>(setup.tensor * setup.pipeline);
  return setup.tokens() * static_cast<double>(setup.hidden * setup.layers) /
         static_cast<double>(setup.tensor);
}

/// Whether a grid of ours does what the row did.
bool is_ours(const MegatronSetup& setup, const std::string& quantity) {
  return setup.pipeline == 1 && !setup.sequence_parallel && !setup.gated &&
         !setup.distributed_optimizer && quantity != kPeak;
}

/// Of the recorded step on tp x 1 x 1 x dp: what is held when it begins, or the activations at its peak.
double own_step(const MegatronSetup& setup, const std::string& quantity) {
  GptConfig model;
  model.layers = setup.layers;
  model.hidden = setup.hidden;
  model.heads = setup.heads;
  model.sequence = setup.sequence;
  model.vocabulary = setup.vocabulary;
  model.ffn = setup.ffn;
  TrainConfig train;
  train.grid = Grid(static_cast<int>(setup.tensor), 1, 1, static_cast<int>(setup.data));
  train.micro_batch = setup.micro_batch;
  train.batch = setup.micro_batch * setup.data;
  train.sequence = setup.sequence;
  train.attention =
      setup.kept == KeptActivations::all ? AttentionAlgorithm::unfused : AttentionAlgorithm::flash;
  train.recompute =
      setup.kept == KeptActivations::only_layer_inputs ? Recompute::full : Recompute::none;
  const StepProgram program = record_train_step(model, train);
  if (quantity == kStates) return static_cast<double>(total(program.resident_memory));
  return static_cast<double>(
      program.peak_memory[static_cast<std::size_t>(MemoryKind::activations)]);
}

std::string label_of(const MeasuredRow& row) {
  return fmt::format("{} {}, TP {} PP {} DP {}, kept: {}{}", row.text("model"),
                     row.text("quantity"), row.text("tp"), row.text("pp"), row.text("dp"),
                     row.text("kept"), is_yes(row, "seq_parallel") ? ", sequence parallel" : "");
}

}  // namespace

ComparisonSet compare_memory(const MeasuredTable& table) {
  ComparisonSet set;
  set.quantity = Quantity::memory;
  for (const MeasuredRow& row : table.rows()) {
    const std::string reason = reason_to_leave_out(row);
    if (!reason.empty()) {
      ++set.left_out[reason];
      continue;
    }
    const MegatronSetup setup = read_setup(row);
    const std::string& quantity = row.text("quantity");
    Comparison comparison = {
        .part = fmt::format("{}, {}: formula", row.text("framework"), row.text("table")),
        .contest = "",
        .label = label_of(row),
        .measured = row.positive_number("memory_GiB") * kGiB,
        .predicted = formula(setup, quantity),
        .ideal = ideal(setup, quantity)};
    set.rows.push_back(comparison);
    if (!is_ours(setup, quantity)) continue;
    comparison.part = fmt::format("{}, {}: own step", row.text("framework"), row.text("table"));
    comparison.predicted = own_step(setup, quantity);
    set.rows.push_back(comparison);
  }
  return set;
}

}  // namespace fourfold::sim
