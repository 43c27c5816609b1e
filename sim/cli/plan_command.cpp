// fourfold-sim plan: the best grids for a model on a number of GPUs.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/plan_options.hpp"
#include "sim/cli/plan_report.hpp"
#include "sim/cli/process_pool.hpp"
#include "sim/cli/progress_bar.hpp"
#include "sim/cli/run_configuration.hpp"

namespace fourfold::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kExamples = R"(Examples:
  fourfold-sim plan --model gpt-80b --machine perlmutter --gpus 1024 --batch 8192
  fourfold-sim plan --model gpt-20b --machine perlmutter --gpus 32 --batch 32 --verify 10 --csv plans.csv
  fourfold-sim plan --model gpt-40b --machine perlmutter --gpus 64 --batch 64 --explain 16x1x4x1
)";

/// Ranks in order of prediction; communication by the paper's equations where there is a table.
std::vector<RankedPlan> rank_plans(const PlanCommandRequest& request, const PlanSearch& search) {
  const AnalyticMachine machine = analytic_machine(request.machine);
  std::optional<StepModel> paper, scripted;
  if (machine.bandwidths) {
    paper.emplace(request.model, machine, CommVariant::paper);
    scripted.emplace(request.model, machine, CommVariant::scripted);
  }
  std::vector<RankedPlan> ranked;
  for (const Plan& plan : search.plans) {
    RankedPlan& entry = ranked.emplace_back();
    entry.plan = plan;
    entry.predicted_rank = ranked.size();
    if (paper) entry.paper = paper->communication(plan.train).total();
    if (scripted) entry.scripted = scripted->communication(plan.train).total();
  }
  return ranked;
}

/// Simulates the first `count` plans and sorts them by simulated time, failures last.
void verify(const PlanCommandRequest& request, std::size_t count, std::vector<RankedPlan>& plans) {
  ProgressBar bar(request.quiet);
  std::size_t done = 0;
  const auto simulate_plan = [&](std::size_t index) {
    const TrainConfig& train = plans[index].plan.train;
    const RunReport report =
        run_configuration(request.model, train, train.micro_batch, request.machine,
                          request.framework);
    return fmt::format("{}", report.result.step_time);
  };
  const auto finished = [&](std::size_t index, const TaskOutcome& outcome) {
    if (outcome.ok)
      plans[index].simulated = std::stod(outcome.text);
    else
      plans[index].failure = outcome.text;
    bar.show(static_cast<double>(++done) / static_cast<double>(count));
  };
  run_in_processes(count, request.jobs, simulate_plan, finished);
  const auto end = plans.begin() + static_cast<std::ptrdiff_t>(count);
  std::stable_sort(plans.begin(), end, [](const RankedPlan& a, const RankedPlan& b) {
    constexpr Seconds kNever = std::numeric_limits<double>::infinity();
    return a.simulated.value_or(kNever) < b.simulated.value_or(kNever);
  });
}

std::vector<NamedAgreement> compare_with_simulation(const std::vector<RankedPlan>& plans) {
  std::vector<double> simulated, predicted, paper, scripted;
  for (const RankedPlan& ranked : plans) {
    if (!ranked.simulated) continue;
    simulated.push_back(*ranked.simulated);
    predicted.push_back(ranked.plan.estimate.step_time);
    if (ranked.paper) paper.push_back(*ranked.paper);
    if (ranked.scripted) scripted.push_back(*ranked.scripted);
  }
  if (simulated.size() < 2) return {};
  std::vector<NamedAgreement> agreements = {
      {"predicted step time", agreement(predicted, simulated)}};
  if (paper.size() == simulated.size()) {
    agreements.push_back({"paper: communication, Eqs 1-7", agreement(paper, simulated)});
    agreements.push_back({"scripted: communication", agreement(scripted, simulated)});
  }
  return agreements;
}

bool uses_standard_output(const PlanCommandRequest& request) {
  return (request.json && request.json->is_standard_output()) ||
         (request.csv && request.csv->is_standard_output());
}

int explain(const PlanCommandRequest& request, StepModel& model, const PlanSearch& search) {
  const GridOutcome outcome = plan_grid(model, request.search, *request.explain);
  std::cout << explain_grid(outcome, *request.explain, search.plans);
  return outcome.best ? 0 : 1;
}

int run_plan(const Words& words) {
  const auto options = plan_options();
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim plan --model NAME --machine NAME --gpus N --batch N [flags]\n"
              << options << "\n"
              << kExamples;
    return 0;
  }
  const PlanCommandRequest request = read_plan_request(arguments);
  AnalyticMachine machine = analytic_machine(request.machine);
  machine.framework = request.framework;
  StepModel model(request.model, machine, request.variant);

  const Clock::time_point start = Clock::now();
  const PlanSearch search = search_plans(model, request.search);
  const Seconds time = std::chrono::duration<double>(Clock::now() - start).count();
  if (request.explain) return explain(request, model, search);

  std::vector<RankedPlan> plans = rank_plans(request, search);
  const std::size_t verified = std::min(request.verified, plans.size());
  verify(request, verified, plans);
  const std::vector<NamedAgreement> agreements = compare_with_simulation(plans);
  if (request.json) request.json->write(plans_json(plans, search, agreements, request.machine));
  if (request.csv) request.csv->write(plans_csv(plans, request.machine));
  if (!request.quiet && !uses_standard_output(request)) {
    std::cout << plan_table(plans, request.top, request.machine) << search_summary(search, time);
    if (!agreements.empty()) std::cout << agreement_table(agreements, verified);
  }
  if (plans.empty()) {
    fmt::print(stderr,
               "fourfold-sim: no grid of {} GPUs works for {}; --explain says why for one\n",
               request.search.gpus, request.model.name);
  }
  return plans.empty() ? 1 : 0;
}

}  // namespace

const Command kPlanCommand = {"plan", "the best grids for a model on a number of GPUs", run_plan};

}  // namespace fourfold::sim
