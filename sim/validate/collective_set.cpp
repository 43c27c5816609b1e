#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/math.hpp"
#include "sim/validate/machine_sets.hpp"

namespace fourfold::sim {
namespace {

constexpr double kSmallestBytes = 1e6;
constexpr int kFewestRanks = 2;

/// RCCL on Frontier takes 9 to 158 ms for 1 MB from here on, in all of the authors' series.
constexpr std::int64_t kRcclBreakdownRanks = 128;
constexpr double kRcclBreakdownBytes = 1.1e6;

/// How sources mark runs that went wrong: misconfigured, replaced by a later series, on Leonardo's noisy service level.
constexpr std::array kMarks = {"BAD", "OLD series", "earlier series", "SL0"};

std::optional<CollectiveKind> parse_kind(const std::string& text) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
    if (text == name_of(kind)) return kind;
  }
  return std::nullopt;
}

/// Why the row is outside what the model describes; empty when it is inside.
std::string reason_to_leave_out(const MeasuredRow& row, const Machine& machine) {
  const std::string& library = row.text("library");
  const std::string& notes = row.text("notes");
  if (!parse_kind(row.text("op"))) return fmt::format("{}: not modelled", row.text("op"));
  if (!library.starts_with("NCCL") && !library.starts_with("RCCL"))
    return "library other than NCCL and RCCL";
  for (const char* mark : kMarks) {
    if (notes.find(mark) != std::string::npos) return fmt::format("marked \"{}\"", mark);
  }
  if (row.text("time_us").empty()) return "no time";
  if (row.positive_number("bytes") < kSmallestBytes) return "less than 1 MB";
  if (row.positive_integer("gpus") < kFewestRanks) return "a single rank";
  if (library.starts_with("RCCL") && row.positive_integer("gpus") >= kRcclBreakdownRanks &&
      row.positive_number("bytes") < kRcclBreakdownBytes) {
    return "RCCL's breakdown with 1 MB on 128 and more ranks (9 to 158 ms): not modelled";
  }
  if (row.positive_integer("gpus") > machine.gpus) return "more GPUs than the platform has";
  return "";
}

/// A library that reaches everything the links offer, at once.
LibraryConstants ideal_library() {
  return {};
}

Comparison compare(const MeasuredRow& row, const CollectiveModel& model,
                   const CollectiveModel& ideal) {
  const CollectiveKind kind = *parse_kind(row.text("op"));
  const Bytes bytes = row.positive_integer("bytes");
  const int ranks = static_cast<int>(row.positive_integer("gpus"));
  const int nodes = static_cast<int>(row.positive_integer("nodes"));
  const GroupPlacement group = {
      .ranks = ranks, .nodes = nodes, .ranks_per_node = static_cast<int>(ceil_div(ranks, nodes))};
  return {.part = fmt::format("{}, {}", row.text("machine"), row.text("op")),
          .contest = "",
          .label = fmt::format("{} GPUs, {:.0f} MB", ranks, static_cast<double>(bytes) / kMega),
          .measured = row.positive_number("time_us") * kMicro,
          .predicted = model.time_alone(kind, bytes, group),
          .ideal = ideal.time_alone(kind, bytes, group)};
}

}  // namespace

std::vector<std::string> machines_of(const MeasuredTable& table, const MeasuredNames& names) {
  std::vector<std::string> machines;
  for (const MeasuredRow& row : table.rows()) {
    const auto name = names.machines.find(row.text("machine"));
    if (name == names.machines.end()) continue;
    if (std::ranges::find(machines, name->second) == machines.end())
      machines.push_back(name->second);
  }
  return machines;
}

std::map<std::string, int> rows_without_machine(const MeasuredTable& table,
                                                const MeasuredNames& names) {
  std::map<std::string, int> left_out;
  for (const MeasuredRow& row : table.rows()) {
    if (names.machines.contains(row.text("machine"))) continue;
    ++left_out[fmt::format("no platform of {}", row.text("machine"))];
  }
  return left_out;
}

ComparisonSet compare_collectives(const MeasuredTable& table, const MeasuredNames& names,
                                  const Machine& machine) {
  const CollectiveModel model(machine.library, machine.node_links());
  const CollectiveModel ideal(ideal_library(), machine.node_links());
  ComparisonSet set;
  for (const MeasuredRow& row : table.rows()) {
    const auto name = names.machines.find(row.text("machine"));
    if (name == names.machines.end() || name->second != machine.name) continue;
    const std::string reason = reason_to_leave_out(row, machine);
    if (reason.empty())
      set.rows.push_back(compare(row, model, ideal));
    else
      ++set.left_out[reason];
  }
  return set;
}

}  // namespace fourfold::sim
