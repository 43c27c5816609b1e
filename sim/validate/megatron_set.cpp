#include "sim/validate/megatron_set.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/schedule/setup_names.hpp"
#include "sim/cli/plan_options.hpp"
#include "sim/validate/machine_sets.hpp"

namespace fourfold::sim {
namespace {

GptConfig read_model(const MeasuredRow& row) {
  GptConfig model;
  model.layers = row.positive_integer("layers");
  model.hidden = row.positive_integer("hidden");
  model.heads = row.positive_integer("heads");
  model.sequence = row.positive_integer("seq");
  model.vocabulary = row.positive_integer("vocab");
  model.ffn = 4 * model.hidden;
  return model;
}

bool is_sharded(const MeasuredRow& row) {
  return row.choice("weights", {"replicated", "zero3"}) == "zero3";
}

TrainConfig read_training(const MeasuredRow& row) {
  const int tensor = static_cast<int>(row.positive_integer("tp"));
  const int data = static_cast<int>(row.positive_integer("dp"));
  const bool sharded = is_sharded(row);
  TrainConfig train;
  train.grid = sharded ? Grid(tensor, 1, data, 1) : Grid(tensor, 1, 1, data);
  train.batch = row.positive_integer("global_batch");
  train.micro_batch = row.positive_integer("micro_batch");
  train.sequence = row.positive_integer("seq");
  train.recompute = parse_recompute(row.text("recompute"));
  train.attention = parse_attention(row.text("attention"));
  train.overlap = sharded ? OverlapPolicy::all() : OverlapPolicy::none();
  return train;
}

Flops formula_flops(const GptConfig& model, const TrainConfig& train) {
  return train.recompute == Recompute::full ? model.formula_hardware_flops(train.batch)
                                            : model.formula_model_flops(train.batch);
}

Comparison compare(const MeasuredRow& row, const Machine& machine, Seconds host_time) {
  const TrainConfig train = read_training(row);
  StepModel model(read_model(row), analytic_machine(machine), CommVariant::fitted);
  check_divisibility(model.model(), train);
  const std::int64_t layers = train.micro_batches() * model.model().layers;
  const std::string shape = fmt::format("{} x {}", model.model().layers, model.model().hidden);
  return {.part = fmt::format("{}, {}", row.text("machine"), row.text("framework")),
          .contest = fmt::format("{} on {} GPUs, batch {}", shape, row.text("gpus"), train.batch),
          .label =
              fmt::format("{} on {} GPUs, grid {}, batch {}, micro-batch {}", shape,
                          row.text("gpus"), train.grid.to_string(), train.batch, train.micro_batch),
          .measured = row.positive_number("iter_time_s"),
          .predicted =
              std::max(model.estimate(train).step_time, static_cast<double>(layers) * host_time),
          .ideal = formula_flops(model.model(), train) /
                   (train.grid.world_size() * machine.gpu.peak_flops)};
}

}  // namespace

ComparisonSet compare_megatron(const MeasuredTable& table, const MeasuredNames& names,
                               const Machine& machine, Seconds host_time) {
  ComparisonSet set;
  for (const MeasuredRow& row : table.rows()) {
    if (!is_row_of(row, names, machine)) continue;
    if (row.positive_integer("gpus") > machine.gpus) {
      ++set.left_out[fmt::format("more GPUs than {} has", machine.name)];
      continue;
    }
    try {
      set.rows.push_back(compare(row, machine, host_time));
    } catch (const ShapeError&) {
      ++set.left_out["batch or model does not divide over the grid"];
    }
  }
  return set;
}

}  // namespace fourfold::sim
