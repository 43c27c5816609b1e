#include "sim/validate/measured_table.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "core/cli/arguments.hpp"

namespace fourfold::sim {
namespace {

std::vector<std::string> split_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

MeasuredRow::MeasuredRow(const std::vector<std::string>& columns, std::vector<std::string> cells,
                         std::string place)
    : columns_(&columns), cells_(std::move(cells)), place_(std::move(place)) {}

const std::string& MeasuredRow::text(const std::string& column) const {
  const auto found = std::ranges::find(*columns_, column);
  if (found == columns_->end()) {
    throw ConfigError(
        fmt::format("{}: {}", place_, unknown_name_message("column", column, *columns_)));
  }
  return cells_[static_cast<std::size_t>(found - columns_->begin())];
}

const std::string& MeasuredRow::choice(const std::string& column,
                                       const std::vector<std::string>& known) const {
  const std::string& cell = text(column);
  if (std::ranges::find(known, cell) == known.end()) {
    throw ConfigError(
        fmt::format("{}, {}: {}", place_, column, unknown_name_message("value", cell, known)));
  }
  return cell;
}

double MeasuredRow::positive_number(const std::string& column) const {
  return parse_number(fmt::format("{}, {}", place_, column), text(column), {1e-12, 1e30});
}

std::int64_t MeasuredRow::positive_integer(const std::string& column) const {
  return parse_integer(fmt::format("{}, {}", place_, column), text(column), 1, INT64_MAX);
}

MeasuredTable::MeasuredTable(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!stream || !std::getline(stream, line)) {
    throw ConfigError(fmt::format(
        "cannot read \"{}\"; give a CSV file with the columns of experiments/data/README.md",
        file.string()));
  }
  columns_ = split_cells(line);
  for (int number = 2; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    std::vector<std::string> cells = split_cells(line);
    const std::string place = fmt::format("{}, line {}", file.string(), number);
    if (cells.size() != columns_.size()) {
      throw ConfigError(fmt::format("{}: {} cells, but the header has {} columns", place,
                                    cells.size(), columns_.size()));
    }
    rows_.emplace_back(columns_, std::move(cells), place);
  }
}

}  // namespace fourfold::sim
