#pragma once
// The report as one row of a CSV file, for tables over many runs. Columns are listed in
// sim/report/README.md.

#include <string>
#include <string_view>

#include "sim/report/output_file.hpp"
#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// Column names, with units.
std::string csv_header();
std::string csv_row(const RunReport& report);

/// A CSV file to which each run adds its row.
class CsvFile {
 public:
  /// Throws ConfigError when the file cannot be written, or exists with other columns.
  CsvFile(std::string_view flag, const std::string& path);
  void append(const RunReport& report) const;

  const OutputFile& file() const { return file_; }

 private:
  OutputFile file_;
};

}  // namespace fourfold::sim
