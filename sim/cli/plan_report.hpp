#pragma once
// What `fourfold-sim plan` shows: plans as a table, JSON or CSV, and the explanation of one grid.

#include <optional>
#include <string>
#include <vector>

#include "core/analytic/planner.hpp"
#include "sim/cli/agreement.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {

/// A plan with what was found out about it besides.
struct RankedPlan {
  Plan plan;
  std::size_t predicted_rank = 0;          ///< from 1
  std::optional<Seconds> paper, scripted;  ///< communication by the paper's equations
  std::optional<Seconds> simulated;
  std::string failure;  ///< of its simulation
};

/// How one way of predicting ranks the simulated plans.
struct NamedAgreement {
  std::string prediction;
  Agreement agreement;
};

/// The first `count` plans, one a line.
std::string plan_table(const std::vector<RankedPlan>& plans, std::size_t count,
                       const Machine& machine);
/// What was tried, and what was dropped for which reason.
std::string search_summary(const PlanSearch& search, Seconds time);
std::string agreement_table(const std::vector<NamedAgreement>& agreements, std::size_t plans);

/// Why `grid` is slow or does not work. `plans`: the search's, best first.
std::string explain_grid(const GridOutcome& outcome, const Grid& grid,
                         const std::vector<Plan>& plans);

std::string plans_csv(const std::vector<RankedPlan>& plans, const Machine& machine);
std::string plans_json(const std::vector<RankedPlan>& plans, const PlanSearch& search,
                       const std::vector<NamedAgreement>& agreements, const Machine& machine);

}  // namespace fourfold::sim
