#pragma once
// A CSV file of published measurements: one header line, cells optionally in double quotes (RFC 4180, no line breaks
// inside cells).

#include <filesystem>
#include <string>
#include <vector>

namespace fourfold::sim {

/// One measurement, whose cells are asked for by the names of their columns.
class MeasuredRow {
 public:
  MeasuredRow(const std::vector<std::string>& columns, std::vector<std::string> cells,
              std::string place);

  /// "FILE, line N".
  const std::string& place() const { return place_; }

  /// Throws ConfigError when the file has no such column; the nearest name is suggested.
  const std::string& text(const std::string& column) const;
  /// Throws ConfigError unless the cell is one of `known`.
  const std::string& choice(const std::string& column, const std::vector<std::string>& known) const;
  /// Throws ConfigError unless the cell is a positive number.
  double positive_number(const std::string& column) const;
  std::int64_t positive_integer(const std::string& column) const;

 private:
  const std::vector<std::string>* columns_;
  std::vector<std::string> cells_;
  std::string place_;
};

class MeasuredTable {
 public:
  /// Throws ConfigError naming file and line when the file cannot be read or a line has not as many cells as the header.
  explicit MeasuredTable(const std::filesystem::path& file);
  MeasuredTable(const MeasuredTable&) = delete;  // rows refer to the columns
  MeasuredTable& operator=(const MeasuredTable&) = delete;

  const std::vector<MeasuredRow>& rows() const { return rows_; }

 private:
  std::vector<std::string> columns_;
  std::vector<MeasuredRow> rows_;
};

}  // namespace fourfold::sim
