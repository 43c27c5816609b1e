#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/analytic/planner.hpp"
#include "core/base/names.hpp"
#include "core/models/gpt_config.hpp"
#include "sim/cli/plan_options.hpp"
#include "sim/validate/machine_sets.hpp"

namespace fourfold::sim {
namespace {

constexpr std::int64_t kBatch = 8192;
constexpr std::int64_t kSequence = 2048;

std::string preset_name(const MeasuredRow& row) {
  std::string size = row.text("model_params");
  std::ranges::transform(size, size.begin(), [](unsigned char c) { return std::tolower(c); });
  return "gpt-" + size;
}

std::string reason_to_leave_out(const MeasuredRow& row) {
  if (row.text("metric") != "time_per_batch") return "metric other than time_per_batch";
  if (!row.text("framework").starts_with("AxoNN")) return "framework other than AxoNN";
  if (!row.text("batch_tokens").starts_with("16777216")) return "batch not published";
  const std::vector<std::string> models = model_names();
  if (std::ranges::find(models, preset_name(row)) == models.end()) return "no such model";
  return "";
}

/// What the published runs used, from the software they name (SC24, section VI): PyTorch 1.13 has no flash attention and
/// PyTorch 2.2 none on ROCm; PyTorch 2.4 on Alps has.
AttentionAlgorithm attention_of(const MeasuredRow& row) {
  return row.text("machine") == "Alps" ? AttentionAlgorithm::flash : AttentionAlgorithm::unfused;
}

PlanRequest request_of(const MeasuredRow& row) {
  PlanRequest request;
  request.gpus = static_cast<int>(row.positive_integer("gpus"));
  request.train.batch = kBatch;
  request.train.sequence = kSequence;
  request.train.overlap = OverlapPolicy::paper();
  request.train.attention = attention_of(row);
  request.recompute = {Recompute::full};
  return request;
}

}  // namespace

ComparisonSet compare_steps(const MeasuredTable& table, const MeasuredNames& names,
                            const Machine& machine) {
  ComparisonSet set;
  for (const MeasuredRow& row : table.rows()) {
    const auto name = names.machines.find(row.text("machine"));
    if (name == names.machines.end() || name->second != machine.name) continue;
    const std::string reason = reason_to_leave_out(row);
    if (!reason.empty()) {
      ++set.left_out[reason];
      continue;
    }
    const PlanRequest request = request_of(row);
    StepModel model(find_gpt_config(preset_name(row)), analytic_machine(machine),
                    CommVariant::fitted);
    const PlanSearch search = search_plans(model, request);
    if (search.plans.empty()) {
      ++set.left_out[fmt::format("{} on {} GPUs of {} fits no grid", preset_name(row), request.gpus,
                                 machine.name)];
      continue;
    }
    const Plan& best = search.plans.front();
    set.rows.push_back({.part = fmt::format("{}, {}", row.text("machine"),
                                            row.text("figure_or_table").substr(0, 5)),
                        .contest = "",
                        .label = fmt::format("{} on {} GPUs, grid {} (planner's)", preset_name(row),
                                             request.gpus, best.train.grid.to_string()),
                        .measured = row.positive_number("value"),
                        .predicted = best.estimate.step_time,
                        .ideal = model.model().formula_hardware_flops(kBatch) /
                                 (request.gpus * machine.gpu.peak_flops)});
  }
  return set;
}

}  // namespace fourfold::sim
