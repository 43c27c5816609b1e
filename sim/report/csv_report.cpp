#include "sim/report/csv_report.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/schedule/setup_names.hpp"

namespace fourfold::sim {
namespace {

/// One column: its name and its cell.
using Cell = std::pair<std::string, std::string>;

/// RFC 4180: quoted where a separator or a quote occurs.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

struct AxisTime {
  Seconds busy = 0, exposed = 0;
};

AxisTime time_of_axes(const SimulationResult& result, AxisSet axes) {
  AxisTime sum;
  for (const CollectiveTime& collective : result.collectives) {
    if (collective.axes != axes) continue;
    sum.busy += collective.busy;
    sum.exposed += collective.exposed;
  }
  return sum;
}

std::vector<Cell> setup_cells(const RunSetup& setup) {
  const TrainConfig& train = setup.train;
  return {{"model", quoted(setup.model.name)},
          {"machine", quoted(setup.machine)},
          {"gpus", std::to_string(setup.gpus())},
          {"grid", train.grid.to_string()},
          {"order", name_of(train.grid.order())},
          {"batch", std::to_string(train.batch)},
          {"sequence", std::to_string(train.sequence)},
          {"micro_batch", std::to_string(train.micro_batch)},
          {"overlap", quoted(to_string(train.overlap))},
          {"recompute", std::string(name_of(train.recompute))},
          {"attention", std::string(name_of(train.attention))},
          {"dtype", std::string(name_of(train.dtype))}};
}

void add_times(const RunReport& report, std::vector<Cell>& cells) {
  const SimulationResult& result = report.result;
  cells.emplace_back("step_time_s", fmt::format("{}", result.step_time));
  cells.emplace_back("compute_s", fmt::format("{}", result.compute_busy));
  // What no single axis is to blame for: collectives over several axes, and waiting for nothing
  // listed.
  Seconds rest = result.step_time - result.compute_busy;
  for (const Axis axis : {Axis::x, Axis::y, Axis::z, Axis::data}) {
    const AxisTime time = time_of_axes(result, axis);
    cells.emplace_back(fmt::format("{}_busy_s", name_of(axis)), fmt::format("{}", time.busy));
    cells.emplace_back(fmt::format("{}_exposed_s", name_of(axis)), fmt::format("{}", time.exposed));
    rest -= time.exposed;
  }
  cells.emplace_back("other_exposed_s", fmt::format("{}", std::max(0.0, rest)));
}

void add_rates(const RunReport& report, std::vector<Cell>& cells) {
  const auto rate = [&](Flops flops) {
    return fmt::format("{}", flops / report.result.step_time / kPeta);
  };
  const auto percent = [&](Flops flops, Flops peak) {
    return fmt::format("{}", 100 * report.share_of_peak(flops, peak));
  };
  const RunSetup& setup = report.setup;
  cells.emplace_back("tokens_per_s", fmt::format("{}", report.tokens_per_second()));
  cells.emplace_back("hardware_PFLOPS", rate(report.hardware_flops.counted));
  cells.emplace_back("model_PFLOPS", rate(report.model_flops.counted));
  cells.emplace_back("hardware_percent_of_peak",
                     percent(report.hardware_flops.counted, setup.peak_flops));
  cells.emplace_back("model_percent_of_peak",
                     percent(report.model_flops.counted, setup.peak_flops));
  cells.emplace_back("memory_peak_GiB",
                     fmt::format("{}", static_cast<double>(total(report.memory.peak)) / kGiB));
}

/// What goes wrong, what each costs alone and what all of it costs together; empty and 0 where nothing does.
void add_disturbances(const RunReport& report, std::vector<Cell>& cells) {
  std::vector<std::string> names;
  std::vector<Seconds> costs;
  for (const DisturbanceCost& disturbance : report.disturbances) {
    names.push_back(disturbance.name);
    costs.push_back(disturbance.step_time - report.undisturbed_step_time);
  }
  const Seconds together =
      names.empty() ? 0 : report.result.step_time - report.undisturbed_step_time;
  cells.emplace_back("disturbances", quoted(fmt::format("{}", fmt::join(names, "; "))));
  cells.emplace_back("disturbances_cost_alone_s", fmt::format("{}", fmt::join(costs, "; ")));
  cells.emplace_back("disturbances_cost_s", fmt::format("{}", together));
}

std::vector<Cell> all_cells(const RunReport& report) {
  std::vector<Cell> cells = setup_cells(report.setup);
  add_times(report, cells);
  add_rates(report, cells);
  add_disturbances(report, cells);
  return cells;
}

std::string line_of(const std::vector<Cell>& cells, std::string Cell::*member) {
  std::vector<std::string> parts;
  for (const Cell& cell : cells) parts.push_back(cell.*member);
  return fmt::format("{}\n", fmt::join(parts, ","));
}

std::string content_of(const OutputFile& file) {
  std::ifstream stream(file.path(), std::ios::binary);
  if (file.is_standard_output() || !stream) return "";
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string csv_header() {
  return line_of(all_cells(RunReport{}), &Cell::first);
}

std::string csv_row(const RunReport& report) {
  return line_of(all_cells(report), &Cell::second);
}

CsvFile::CsvFile(std::string_view flag, const std::string& path) : file_(flag, path) {
  const std::string content = content_of(file_);
  if (!content.empty() && !content.starts_with(csv_header())) {
    throw ConfigError(fmt::format(
        "--{} {}: exists with other columns; choose another file or remove it", flag, path));
  }
}

void CsvFile::append(const RunReport& report) const {
  std::string content = content_of(file_);
  if (content.empty()) content = csv_header();
  file_.write(content + csv_row(report));
}

}  // namespace fourfold::sim
