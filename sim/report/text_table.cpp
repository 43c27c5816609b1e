#include "sim/report/text_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fourfold::sim {
namespace {

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string text = fmt::format("  {:<{}}", cells[0], widths[0]);
  for (std::size_t column = 1; column < cells.size(); ++column) {
    text += fmt::format("  {:>{}}", cells[column], widths[column]);
  }
  return text + "\n";
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void TextTable::add_row(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::size_t rule = 2 * (widths.size() - 1);
  for (const std::size_t width : widths) rule += width;

  std::string text = line(rows_.front(), widths) + fmt::format("  {:-<{}}\n", "", rule);
  for (std::size_t row = 1; row < rows_.size(); ++row) text += line(rows_[row], widths);
  return text;
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

}  // namespace fourfold::sim
