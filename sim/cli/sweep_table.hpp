#pragma once
// The CSV file of a sweep, safe against being killed at any time: every row is written at once and
// synced to disk; when the file is opened again a torn last line is cut off, and rows that are there
// are not made again.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace fourfold::sim {

/// Names of the runs that have a whole row in a table; nothing for a file that does not exist.
std::set<std::string> finished_runs(const std::filesystem::path& file);

class SweepTable {
 public:
  /// Opens or creates the file for this process alone. Throws ConfigError when it cannot be written,
  /// holds something else, or is in use by another sweep.
  explicit SweepTable(const std::filesystem::path& file);
  ~SweepTable();
  SweepTable(const SweepTable&) = delete;
  SweepTable& operator=(const SweepTable&) = delete;

  /// `row`: the cells of csv_row() of the report.
  void add_result(const std::string& run, const std::string& row);
  void add_failure(const std::string& run, const std::string& message);

 private:
  void append(const std::string& text);

  std::filesystem::path path_;
  int file_ = -1;
};

/// Writes the rows of `parts` that `file` lacks to it.
void merge_tables(const std::vector<std::filesystem::path>& parts,
                  const std::filesystem::path& file);

}  // namespace fourfold::sim
