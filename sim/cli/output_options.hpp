#pragma once
// --json, --csv, --trace, --dump-program: checked before the simulation, written after it.

#include <optional>

#include "core/cli/arguments.hpp"
#include "sim/report/csv_report.hpp"
#include "sim/report/output_file.hpp"

namespace fourfold::sim {

boost::program_options::options_description output_options();

class OutputOptions {
 public:
  /// Throws ConfigError for a file that cannot be written or is named twice.
  explicit OutputOptions(const Arguments& arguments);

  void write_program(const StepProgram& program) const;
  void write_report(const RunReport& report) const;

  /// Whether one of them takes standard output, which then holds nothing else.
  bool use_standard_output() const;

 private:
  /// The files that are asked for.
  std::vector<const OutputFile*> files() const;

  std::optional<OutputFile> json_, trace_, program_;
  std::optional<CsvFile> csv_;
};

}  // namespace fourfold::sim
