#include "sim/cli/plan_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/schedule/setup_names.hpp"
#include "sim/report/text_table.hpp"

namespace fourfold::sim {
namespace {

Seconds exposed(const StepEstimate& estimate, Stream stream) {
  return estimate.totals.exposed[static_cast<std::size_t>(stream)];
}

double gib(Bytes bytes) {
  return static_cast<double>(bytes) / kGiB;
}

/// Hardware FLOPs against the data sheet's peak.
double percent_of_peak(const Plan& plan, const Machine& machine) {
  return 100 * plan.estimate.totals.flops / (plan.estimate.step_time * machine.gpu.peak_flops);
}

/// Name and value of every column, the same for CSV and JSON.
nlohmann::ordered_json columns_of(const RankedPlan& ranked, const Machine& machine) {
  const TrainConfig& train = ranked.plan.train;
  const StepEstimate& estimate = ranked.plan.estimate;
  nlohmann::ordered_json row;
  row["grid"] = train.grid.to_string();
  row["order"] = name_of(train.grid.order());
  row["micro_batch"] = train.micro_batch;
  row["micro_batches"] = train.micro_batches();
  row["recompute"] = name_of(train.recompute);
  row["predicted_rank"] = ranked.predicted_rank;
  row["predicted_s"] = estimate.step_time;
  row["kernels_s"] = estimate.totals.kernels;
  row["exposed_s"] = estimate.exposed();
  row["communication_x_s"] = estimate.communication.x;
  row["communication_y_s"] = estimate.communication.y;
  row["communication_z_s"] = estimate.communication.z;
  row["communication_data_s"] = estimate.communication.data;
  row["memory_peak_GiB"] = gib(total(estimate.peak));
  row["memory_framework_GiB"] = gib(estimate.framework.total());
  row["hardware_percent_of_peak"] = percent_of_peak(ranked.plan, machine);
  const auto optional = [&](const char* name, const std::optional<Seconds>& value) {
    row[name] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  optional("paper_communication_s", ranked.paper);
  optional("scripted_communication_s", ranked.scripted);
  optional("simulated_s", ranked.simulated);
  row["failure"] = ranked.failure;
  return row;
}

std::string csv_cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>();
  std::replace(text.begin(), text.end(), '"', '\'');
  return text.find_first_of(",\n") == std::string::npos ? text : "\"" + text + "\"";
}

const char* name_of_exposed(Stream stream) {
  switch (stream) {
    case Stream::comm_x:
      return "all-reduces over x";
    case Stream::comm_y:
      return "all-reduces over y";
    case Stream::comm_z_gather:
      return "gathers of weights over z";
    case Stream::comm_z_scatter:
      return "scatters of gradients over z";
    case Stream::comm_data:
      return "all-reduces of gradients over data";
    case Stream::compute:
      break;
  }
  return "";
}

std::string describe_memory(const StepEstimate& estimate) {
  std::string text;
  for (std::size_t kind = 0; kind < estimate.peak.size(); ++kind) {
    text += fmt::format("{}{} {:.2f}", kind == 0 ? "" : ", ",
                        name_of(static_cast<MemoryKind>(kind)), gib(estimate.peak[kind]));
  }
  return text + fmt::format(", framework {:.2f}", gib(estimate.framework.total()));
}

/// Where a plan spends more than the best one.
std::string compare(const Plan& plan, const Plan& best) {
  TextTable table({"", plan.train.grid.to_string(), best.train.grid.to_string() + " (best)"});
  const auto seconds = [](Seconds time) { return fmt::format("{:.3f} s", time); };
  table.add_row({"step", seconds(plan.estimate.step_time), seconds(best.estimate.step_time)});
  table.add_row(
      {"kernels", seconds(plan.estimate.totals.kernels), seconds(best.estimate.totals.kernels)});
  for (const Stream stream : kAllStreams) {
    if (stream == Stream::compute) continue;
    table.add_row({std::string("exposed ") + name_of_exposed(stream),
                   seconds(exposed(plan.estimate, stream)),
                   seconds(exposed(best.estimate, stream))});
  }
  table.add_row({"memory", fmt::format("{:.1f} GiB", gib(plan.estimate.needed())),
                 fmt::format("{:.1f} GiB", gib(best.estimate.needed()))});
  return table.to_string();
}

}  // namespace

std::string plan_table(const std::vector<RankedPlan>& plans, std::size_t count,
                       const Machine& machine) {
  const bool has_simulated = !plans.empty() && (plans[0].simulated || !plans[0].failure.empty());
  TextTable table({"grid", "order", "micro-batch", "recompute", "step s", "kernels s", "exposed s",
                   "busy x", "y", "z", "data s", "GiB", "% peak",
                   has_simulated ? "simulated s" : "", has_simulated ? "predicted rank" : ""});
  for (std::size_t i = 0; i < std::min(count, plans.size()); ++i) {
    const RankedPlan& ranked = plans[i];
    const TrainConfig& train = ranked.plan.train;
    const StepEstimate& estimate = ranked.plan.estimate;
    const auto seconds = [](Seconds time) { return fmt::format("{:.3f}", time); };
    std::vector<std::string> row = {
        train.grid.to_string(),
        name_of(train.grid.order()),
        fmt::format("{} x {}", train.micro_batches(), train.micro_batch),
        std::string(name_of(train.recompute)),
        seconds(estimate.step_time),
        seconds(estimate.totals.kernels),
        seconds(estimate.exposed()),
        seconds(estimate.communication.x),
        seconds(estimate.communication.y),
        seconds(estimate.communication.z),
        seconds(estimate.communication.data),
        fmt::format("{:.1f}", gib(estimate.needed())),
        fmt::format("{:.1f}", percent_of_peak(ranked.plan, machine))};
    if (ranked.simulated) row.push_back(seconds(*ranked.simulated));
    if (!ranked.failure.empty()) row.push_back("failed");
    if (has_simulated) row.push_back(std::to_string(ranked.predicted_rank));
    table.add_row(std::move(row));
  }
  return table.to_string();
}

std::string search_summary(const PlanSearch& search, Seconds time) {
  std::string text = fmt::format("\n  {} grids, {} configurations in {:.2f} s; {} grids fit\n",
                                 grouped(search.grids), grouped(search.evaluated), time,
                                 grouped(static_cast<std::int64_t>(search.plans.size())));
  for (const auto& [reason, count] : search.dropped) {
    text += reason == "memory"
                ? fmt::format("  {} grids dropped: not enough memory\n", grouped(count))
                : fmt::format("  {} grids dropped: {} not divisible\n", grouped(count), reason);
  }
  return text;
}

std::string agreement_table(const std::vector<NamedAgreement>& agreements, std::size_t plans) {
  TextTable table({fmt::format("prediction against {} simulations", plans), "Spearman",
                   "common among the best", "regret of the first"});
  for (const auto& [prediction, agreement] : agreements) {
    table.add_row({prediction, fmt::format("{:.3f}", agreement.spearman),
                   fmt::format("{} of {}", agreement.best_common, agreement.best_compared),
                   fmt::format("{:.1f} %", 100 * agreement.regret)});
  }
  return "\n" + table.to_string();
}

std::string explain_grid(const GridOutcome& outcome, const Grid& grid,
                         const std::vector<Plan>& plans) {
  if (!outcome.best) {
    std::string text =
        fmt::format("Grid {} does not work: {}\n", grid.to_string(), outcome.message);
    if (const Plan* nearest = nearest_plan(plans, grid)) {
      text += fmt::format("The nearest grid that works is {}, predicted to take {:.3f} s a step.\n",
                          nearest->train.grid.to_string(), nearest->estimate.step_time);
    } else {
      text += "No grid of that many GPUs works.\n";
    }
    return text;
  }
  const Plan& plan = *outcome.best;
  const auto faster = std::count_if(plans.begin(), plans.end(), [&](const Plan& other) {
    return other.estimate.step_time < plan.estimate.step_time;
  });
  std::string text = fmt::format(
      "Grid {} takes {:.3f} s with {} micro-batches of {} and recompute {}; {} of {} other grids "
      "are "
      "faster.\nMemory at the peak in GiB: {}\n\n",
      grid.to_string(), plan.estimate.step_time, plan.train.micro_batches(), plan.train.micro_batch,
      name_of(plan.train.recompute), faster, plans.size(), describe_memory(plan.estimate));
  return plans.empty() ? text : text + compare(plan, plans.front());
}

std::string plans_csv(const std::vector<RankedPlan>& plans, const Machine& machine) {
  std::string text;
  const auto add_line = [&](const auto& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + cells[i];
    text += "\n";
  };
  std::vector<std::string> header;
  RankedPlan any;  // every plan has the same columns
  any.plan.train.batch = 1;
  const nlohmann::ordered_json columns = columns_of(any, machine);
  for (const auto& column : columns.items()) header.push_back(column.key());
  add_line(header);
  for (const RankedPlan& ranked : plans) {
    std::vector<std::string> cells;
    for (const auto& column : columns_of(ranked, machine)) cells.push_back(csv_cell(column));
    add_line(cells);
  }
  return text;
}

std::string plans_json(const std::vector<RankedPlan>& plans, const PlanSearch& search,
                       const std::vector<NamedAgreement>& agreements, const Machine& machine) {
  nlohmann::ordered_json json;
  json["grids"] = search.grids;
  json["configurations"] = search.evaluated;
  json["dropped"] = search.dropped;
  json["agreement"] = nlohmann::ordered_json::array();
  for (const auto& [prediction, agreement] : agreements) {
    json["agreement"].push_back({{"prediction", prediction},
                                 {"spearman", agreement.spearman},
                                 {"best_compared", agreement.best_compared},
                                 {"best_common", agreement.best_common},
                                 {"regret", agreement.regret}});
  }
  json["plans"] = nlohmann::ordered_json::array();
  for (const RankedPlan& ranked : plans) json["plans"].push_back(columns_of(ranked, machine));
  return json.dump(2) + "\n";
}

}  // namespace fourfold::sim
