#include "sim/cli/output_options.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "sim/report/chrome_trace.hpp"
#include "sim/report/json_report.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

template <typename File>
void open(const Arguments& arguments, const std::string& flag, std::optional<File>& file) {
  if (arguments.has(flag)) file.emplace(flag, arguments.text(flag));
}

}  // namespace

po::options_description output_options() {
  po::options_description options("Output (FILE may be - for standard output)", 100);
  const auto file = [] { return po::value<std::string>()->value_name("FILE"); };
  options.add_options()("json", file(), "the report as JSON");
  options.add_options()("csv", file(), "the report as a CSV row, added to FILE if it exists");
  options.add_options()("trace", file(), "timeline for ui.perfetto.dev or chrome://tracing");
  options.add_options()("dump-program", file(), "the recorded operations of one rank");
  return options;
}

OutputOptions::OutputOptions(const Arguments& arguments) {
  open(arguments, "json", json_);
  open(arguments, "csv", csv_);
  open(arguments, "trace", trace_);
  open(arguments, "dump-program", program_);
  std::set<std::filesystem::path> paths;
  for (const OutputFile* file : files()) {
    const auto path = std::filesystem::weakly_canonical(file->path());
    if (paths.insert(path).second) continue;
    throw ConfigError(
        fmt::format("two outputs go to {}; give each a file of its own", file->path().string()));
  }
}

std::vector<const OutputFile*> OutputOptions::files() const {
  std::vector<const OutputFile*> files;
  for (const auto* file : {&json_, &trace_, &program_}) {
    if (*file) files.push_back(&**file);
  }
  if (csv_) files.push_back(&csv_->file());
  return files;
}

bool OutputOptions::use_standard_output() const {
  const auto all = files();
  return std::any_of(all.begin(), all.end(),
                     [](const OutputFile* file) { return file->is_standard_output(); });
}

void OutputOptions::write_program(const StepProgram& program) const {
  if (program_) program_->write(to_string(program));
}

void OutputOptions::write_report(const RunReport& report) const {
  if (json_) json_->write(json_report(report));
  if (csv_) csv_->append(report);
  if (trace_) trace_->write(chrome_trace(report));
}

}  // namespace fourfold::sim
