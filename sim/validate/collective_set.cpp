#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/math.hpp"
#include "core/cost/exchange_model.hpp"
#include "sim/validate/machine_sets.hpp"

namespace fourfold::sim {
namespace {

constexpr double kSmallestBytes = 1e6;
constexpr int kFewestRanks = 2;

/// RCCL on Frontier takes 9 to 158 ms for 1 MB from here on, in all of the authors' series.
constexpr std::int64_t kRcclBreakdownRanks = 128;
constexpr double kRcclBreakdownBytes = 1.1e6;

/// RCCL between single GPUs of many nodes on LUMI-G takes 12 ms for 1 MB and reaches a sixth of a NIC, as sockets would.
bool is_one_gpu_a_node(const MeasuredRow& row) {
  return row.positive_integer("gpus") == row.positive_integer("nodes");
}

/// How sources mark runs that went wrong: misconfigured, replaced by a later series, on Leonardo's noisy service level.
constexpr std::array kMarks = {"BAD", "OLD series", "earlier series", "SL0"};

std::optional<CollectiveKind> parse_kind(const std::string& text) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
    if (text == name_of(kind)) return kind;
  }
  return std::nullopt;
}

bool is_pairwise(const std::string& operation) {
  return operation == "all_to_all" || operation.starts_with("p2p_pingpong");
}

/// Why the row is outside what the model describes; empty when it is inside.
std::string reason_to_leave_out(const MeasuredRow& row, const Machine& machine) {
  const std::string& library = row.text("library");
  const std::string& notes = row.text("notes");
  const std::string& operation = row.text("op");
  if (!parse_kind(operation) && !is_pairwise(operation))
    return fmt::format("{}: not modelled", operation);
  if (is_pairwise(operation) && !machine.library.exchange)
    return fmt::format("{}: no constants", operation);
  if (operation == "p2p_pingpong_intra" && !machine.mesh_links.empty())
    return "p2p_pingpong_intra: the row does not say between which GPUs of an uneven mesh";
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
  if (library.starts_with("RCCL") && is_one_gpu_a_node(row))
    return "RCCL between single GPUs of nodes (12 ms for 1 MB): not modelled";
  if (row.positive_integer("gpus") > machine.gpus) return "more GPUs than the platform has";
  return "";
}

/// A library that reaches everything the links offer, at once.
LibraryConstants ideal_library() {
  LibraryConstants library;
  library.exchange = ExchangeConstants{};
  return library;
}

Seconds predict(const LibraryConstants& library, const NodeLinks& links,
                const std::string& operation, Bytes bytes, const GroupPlacement& group) {
  if (const auto kind = parse_kind(operation))
    return CollectiveModel(library, links).time_alone(*kind, bytes, group);
  const ExchangeModel exchange(library, links);
  return operation == "all_to_all" ? exchange.all_to_all(bytes, group)
                                   : exchange.send_recv(bytes, group);
}

Comparison compare(const MeasuredRow& row, const Machine& machine) {
  const std::string& operation = row.text("op");
  const NodeLinks links = machine.node_links();
  const Bytes bytes = row.positive_integer("bytes");
  const int ranks = static_cast<int>(row.positive_integer("gpus"));
  const int nodes = static_cast<int>(row.positive_integer("nodes"));
  const GroupPlacement group = {
      .ranks = ranks, .nodes = nodes, .ranks_per_node = static_cast<int>(ceil_div(ranks, nodes))};
  return {.part = fmt::format("{}, {}", row.text("machine"), operation),
          .contest = "",
          .label = fmt::format("{} GPUs, {:.0f} MB", ranks, static_cast<double>(bytes) / kMega),
          .measured = row.positive_number("time_us") * kMicro,
          .predicted = predict(machine.library, links, operation, bytes, group),
          .ideal = predict(ideal_library(), links, operation, bytes, group)};
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

bool is_row_of(const MeasuredRow& row, const MeasuredNames& names, const Machine& machine) {
  const auto name = names.machines.find(row.text("machine"));
  return name != names.machines.end() && name->second == machine.name;
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
  ComparisonSet set;
  for (const MeasuredRow& row : table.rows()) {
    if (!is_row_of(row, names, machine)) continue;
    const std::string reason = reason_to_leave_out(row, machine);
    if (reason.empty())
      set.rows.push_back(compare(row, machine));
    else
      ++set.left_out[reason];
  }
  return set;
}

}  // namespace fourfold::sim
