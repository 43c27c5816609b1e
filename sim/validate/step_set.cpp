#include <fmt/format.h>

#include "sim/validate/machine_sets.hpp"
#include "sim/validate/published_runs.hpp"

namespace fourfold::sim {
namespace {

std::string reason_to_leave_out(const MeasuredRow& row) {
  if (row.text("metric") != "time_per_batch") return "metric other than time_per_batch";
  return not_a_published_run(row);
}

Comparison compare(const MeasuredRow& row, StepModel& model, const Plan& best) {
  const GptConfig& gpt = model.model();
  const double peak = best.train.grid.world_size() * model.machine().gpu.peak_flops;
  return {
      .part = fmt::format("{}, {}", row.text("machine"), row.text("figure_or_table").substr(0, 5)),
      .contest = "",
      .label = fmt::format("{} on {} GPUs, grid {} (planner's)", gpt.name,
                           best.train.grid.world_size(), best.train.grid.to_string()),
      .measured = row.positive_number("value"),
      .predicted = best.estimate.step_time,
      .ideal = gpt.formula_hardware_flops(best.train.batch) / peak};
}

}  // namespace

ComparisonSet compare_steps(const MeasuredTable& table, const MeasuredNames& names,
                            const Machine& machine) {
  ComparisonSet set;
  for (const MeasuredRow& row : table.rows()) {
    if (!is_row_of(row, names, machine)) continue;
    const std::string reason = reason_to_leave_out(row);
    if (!reason.empty()) {
      ++set.left_out[reason];
      continue;
    }
    StepModel model = published_step_model(row, machine, true);
    const std::optional<Plan> plan = published_plan(model, published_request(row));
    if (!plan) {
      ++set.left_out[fmt::format("{} on {} GPUs of {} fits no grid", model.model().name,
                                 row.text("gpus"), machine.name)];
      continue;
    }
    set.rows.push_back(compare(row, model, *plan));
  }
  return set;
}

}  // namespace fourfold::sim
