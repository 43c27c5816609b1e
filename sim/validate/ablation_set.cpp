// What each optimisation of AxoNN saved (SC24, Figs 5 and 7): the differences between runs that have it and runs that have
// not, published and predicted.

#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/validate/machine_sets.hpp"
#include "sim/validate/published_runs.hpp"

namespace fourfold::sim {
namespace {

/// A bar of the figures.
struct Variant {
  std::string framework;  ///< as in the rows
  OverlapPolicy overlap;
  bool tuned = true;
  bool one_dimensional = false;  ///< 1D tensor parallelism in the node, HSDP across nodes
};

constexpr OverlapPolicy kOar{.all_reduce = true};
constexpr OverlapPolicy kOarOrs{.all_reduce = true, .reduce_scatter = true};

/// In the order of the figures: each has what the one before has and one optimisation more.
const std::vector<std::vector<Variant>> kSeries = {
    {{"AxoNN baseline (1D TP in node + HSDP across nodes)", OverlapPolicy::none(), false, true},
     {"AxoNN perf model (best of top-10 configs)", OverlapPolicy::none(), false},
     {"AxoNN + kernel tuning", OverlapPolicy::none()},
     {"AxoNN + collective overlap", OverlapPolicy::paper()}},
    {{"AxoNN Baseline (no overlap)", OverlapPolicy::none()},
     {"AxoNN +OAR", kOar},
     {"AxoNN +ORS", kOarOrs},
     {"AxoNN +OAG", OverlapPolicy::paper()}}};

/// Published seconds of one run, by framework.
struct Run {
  const MeasuredRow* row = nullptr;  ///< any of it
  std::map<std::string, Seconds> step_times;
};

std::vector<Run> collect_runs(const MeasuredTable& table, const MeasuredNames& names,
                              const Machine& machine, ComparisonSet& set) {
  std::map<std::string, Run> runs;
  for (const MeasuredRow& row : table.rows()) {
    if (!is_row_of(row, names, machine)) continue;
    std::string reason = not_a_published_run(row);
    if (reason.empty() && row.text("metric") != "time_per_batch") {
      reason = "metric other than time_per_batch";
    }
    if (!reason.empty()) {
      ++set.left_out[reason];
      continue;
    }
    Run& run = runs[row.text("figure_or_table") + row.text("model_params") + row.text("gpus")];
    run.row = &row;
    run.step_times[row.text("framework")] = row.positive_number("value");
  }
  std::vector<Run> list;
  for (const auto& [key, run] : runs) list.push_back(run);
  return list;
}

/// 1D tensor parallelism over the GPUs of a node; z and data are the planner's.
std::optional<Plan> plan_one_dimensional(StepModel& model, const PlanRequest& request,
                                         int gpus_per_node) {
  std::optional<Plan> best;
  for (int z = 1; z <= request.gpus / gpus_per_node; ++z) {
    if (request.gpus % (gpus_per_node * z) != 0) continue;
    const Grid grid(gpus_per_node, 1, z, request.gpus / gpus_per_node / z);
    const GridOutcome outcome = plan_grid(model, request, grid);
    if (!outcome.best) continue;
    if (!best || outcome.best->estimate.step_time < best->estimate.step_time) best = outcome.best;
  }
  return best;
}

/// The grid of a series is chosen for the first of its variants that the perf model placed.
class Predictor {
 public:
  Predictor(const MeasuredRow& row, const Machine& machine)
      : machine_(machine),
        request_(published_request(row)),
        tuned_(published_step_model(row, machine, true)),
        untuned_(published_step_model(row, machine, false)) {}

  /// Nothing when no grid fits.
  std::optional<Seconds> step_time(const Variant& variant) {
    StepModel& model = variant.tuned ? tuned_ : untuned_;
    PlanRequest request = request_;
    request.train.overlap = variant.overlap;
    if (variant.one_dimensional) {
      const auto plan = plan_one_dimensional(model, request, machine_.gpus_per_node);
      if (!plan) return std::nullopt;
      return plan->estimate.step_time;
    }
    if (!chosen_) {
      const std::optional<Plan> plan = published_plan(model, request);
      if (!plan) return std::nullopt;
      chosen_ = plan->train;
    }
    TrainConfig train = *chosen_;
    train.overlap = variant.overlap;
    return model.estimate(train).step_time;
  }

 private:
  const Machine& machine_;
  PlanRequest request_;
  StepModel tuned_, untuned_;
  std::optional<TrainConfig> chosen_;
};

void compare_series(const Run& run, const std::vector<Variant>& series, const Machine& machine,
                    ComparisonSet& set) {
  if (!run.step_times.contains(series.front().framework)) return;
  Predictor predictor(*run.row, machine);
  std::optional<Seconds> before = predictor.step_time(series.front());
  for (std::size_t i = 1; i < series.size(); ++i) {
    const std::optional<Seconds> after = predictor.step_time(series[i]);
    const Seconds measured_before = run.step_times.at(series[i - 1].framework);
    const Seconds saved = measured_before - run.step_times.at(series[i].framework);
    if (!before || !after) {
      ++set.left_out["fits no grid"];
    } else if (saved <= 0) {
      ++set.left_out["optimisations that saved nothing in the published run"];
    } else {
      set.rows.push_back({.part = fmt::format("{}, {}", run.row->text("machine"),
                                              run.row->text("figure_or_table").substr(0, 5)),
                          .contest = "",
                          .label = fmt::format("{} on {} GPUs: {}", run.row->text("model_params"),
                                               run.row->text("gpus"), series[i].framework),
                          .measured = saved,
                          .predicted = *before - *after,
                          .ideal = measured_before});
    }
    before = after;
  }
}

}  // namespace

ComparisonSet compare_ablations(const MeasuredTable& table, const MeasuredNames& names,
                                const Machine& machine) {
  ComparisonSet set;
  for (const Run& run : collect_runs(table, names, machine, set)) {
    for (const std::vector<Variant>& series : kSeries) compare_series(run, series, machine, set);
  }
  return set;
}

}  // namespace fourfold::sim
