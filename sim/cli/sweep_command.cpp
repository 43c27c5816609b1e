// fourfold-sim sweep: simulates every combination that a file lists, on all cores, resumable.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/process_pool.hpp"
#include "sim/cli/sweep_file.hpp"
#include "sim/cli/sweep_table.hpp"
#include "sim/report/csv_report.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kExamples = R"(Examples:
  fourfold-sim sweep sweep.json --csv results.csv            all cores; run it again to resume
  mpirun -n 8 fourfold-sim sweep sweep.json --csv results.csv   each rank its share, results.csv.part-0 ...
  fourfold-sim sweep sweep.json --csv results.csv --merge    puts the parts into results.csv
)";

/// Which part of a sweep this process does: rank r of n does runs r, r + n, ...
struct Share {
  std::size_t rank = 0, size = 1;
};

std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  return static_cast<std::size_t>(parse_integer(name, text, 0, 1'000'000));
}

/// Under mpirun or srun. (SLURM_PROCID alone also exists outside of a job step.)
Share share_of_this_process() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) {
    return {from_environment("OMPI_COMM_WORLD_RANK", 0),
            from_environment("OMPI_COMM_WORLD_SIZE", 1)};
  }
  if (std::getenv("SLURM_STEP_NUM_TASKS") != nullptr) {
    return {from_environment("SLURM_PROCID", 0), from_environment("SLURM_STEP_NUM_TASKS", 1)};
  }
  return {};
}

std::vector<fs::path> parts_of(const fs::path& table) {
  std::vector<fs::path> parts;
  const fs::path folder = table.has_parent_path() ? table.parent_path() : ".";
  if (!fs::is_directory(folder)) throw ConfigError("no folder " + folder.string());
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(table.filename().string() + ".part-")) parts.push_back(entry.path());
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

/// The runs of this share that no table has yet.
std::vector<SweepRun> missing_runs(const std::vector<SweepRun>& runs, const Share& share,
                                   const fs::path& table) {
  std::set<std::string> done = finished_runs(table);
  for (const fs::path& part : parts_of(table)) done.merge(finished_runs(part));
  std::vector<SweepRun> missing;
  for (std::size_t i = share.rank; i < runs.size(); i += share.size) {
    if (done.insert(runs[i].name()).second) missing.push_back(runs[i]);
  }
  return missing;
}

/// Progress and time left on a terminal.
class SweepProgress {
 public:
  explicit SweepProgress(std::size_t runs) : runs_(runs) {}

  void show(std::size_t done, std::size_t failed) const {
    if (::isatty(STDERR_FILENO) == 0) return;
    const Seconds elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const Seconds left = elapsed / static_cast<double>(done) * static_cast<double>(runs_ - done);
    fmt::print(stderr, "\r{} of {} runs, {} failed, {:.0f} s left \033[K{}", done, runs_, failed,
               left, done == runs_ ? "\n" : "");
  }

 private:
  std::size_t runs_;
  Clock::time_point start_ = Clock::now();
};

std::size_t run_all(const std::vector<SweepRun>& runs, int jobs, const fs::path& file) {
  SweepTable table(file);
  const SweepProgress progress(runs.size());
  std::size_t done = 0, failed = 0;
  const auto finished = [&](std::size_t index, const TaskOutcome& outcome) {
    if (outcome.ok) {
      table.add_result(runs[index].name(), outcome.text);
    } else {
      table.add_failure(runs[index].name(), outcome.text);
      failed += 1;
    }
    progress.show(++done, failed);
  };
  run_in_processes(
      runs.size(), jobs, [&](std::size_t index) { return csv_row(execute(runs[index])); },
      finished);
  return failed;
}

po::options_description sweep_options() {
  po::options_description options("Flags", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("file", value("FILE"),
                        "what to sweep over; sim/cli/sweep_file.hpp has the format");
  options.add_options()("csv", value("FILE"),
                        "one row a run; FILE.part-R for rank R under mpirun or srun");
  options.add_options()("jobs", value("N"),
                        "runs at a time; this process's share of the cores if not given");
  options.add_options()("merge", "put the parts into one file, run nothing");
  options.add_options()("help", "this text");
  return options;
}

int default_jobs() {
  const std::size_t local = from_environment("OMPI_COMM_WORLD_LOCAL_SIZE", 1);
  return std::max(1, core_count() / static_cast<int>(std::max<std::size_t>(1, local)));
}

int run_sweep(const Words& words) {
  const auto options = sweep_options();
  const Arguments arguments(options, words, "file");
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim sweep FILE --csv FILE [flags]\n"
              << options << "\n"
              << kExamples;
    return 0;
  }
  const fs::path table = arguments.text("csv");
  const std::vector<SweepRun> runs = read_sweep(arguments.text("file"));
  if (arguments.has("merge")) {
    merge_tables(parts_of(table), table);
    return 0;
  }
  const Share share = share_of_this_process();
  const int jobs =
      arguments.has("jobs") ? static_cast<int>(arguments.positive("jobs", 4096)) : default_jobs();
  const std::vector<SweepRun> missing = missing_runs(runs, share, table);
  const fs::path own =
      share.size == 1 ? table : fs::path(fmt::format("{}.part-{}", table.string(), share.rank));
  const std::size_t failed = run_all(missing, jobs, own);
  fmt::print(stderr, "{} of {} runs were made, {} of them failed; rows in {}\n", missing.size(),
             runs.size(), failed, own.string());
  return 0;
}

}  // namespace

const Command kSweepCommand = {
    "sweep", "every combination of models, machines, GPUs, grids, overlaps", run_sweep};

}  // namespace fourfold::sim
