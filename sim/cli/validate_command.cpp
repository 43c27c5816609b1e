// fourfold-sim validate: predictions beside published measurements, and how far they are off.

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/kernel_profile_option.hpp"
#include "sim/cli/process_pool.hpp"
#include "sim/report/output_file.hpp"
#include "sim/validate/kernel_sets.hpp"
#include "sim/validate/machine_sets.hpp"
#include "sim/validate/megatron_set.hpp"
#include "sim/validate/memory_set.hpp"
#include "sim/validate/validation_report.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

using CompareOnMachine =
    std::function<ComparisonSet(const MeasuredTable&, const MeasuredNames&, const Machine&)>;

/// What the user has measured of the machine, and wants to be believed.
struct Measured {
  Seconds host_time = 0;  ///< of compare_megatron
  std::shared_ptr<const KernelProfile> kernels;
};

constexpr std::string_view kExamples = R"(Examples:
  fourfold-sim validate
  fourfold-sim validate --set collectives --csv rows.csv
  fourfold-sim validate --set gemm --data my_gemms.csv --json -
)";

const std::vector<std::string> kSets = {"gemm",      "collectives", "attention", "steps",
                                        "ablations", "memory",      "megatron"};

std::string to_text(const ComparisonSet& set) {
  nlohmann::json json = {{"left_out", set.left_out}, {"rows", nlohmann::json::array()}};
  for (const Comparison& row : set.rows) {
    json["rows"].push_back(
        {row.part, row.contest, row.label, row.measured, row.predicted, row.ideal});
  }
  return json.dump();
}

/// Adds what to_text() wrote in another process.
void add(const std::string& text, ComparisonSet& set) {
  const nlohmann::json json = nlohmann::json::parse(text);
  for (const auto& row : json.at("rows")) {
    set.rows.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
  }
  for (const auto& [reason, rows] : json.at("left_out").items())
    set.left_out[reason] += rows.get<int>();
}

/// Each machine in a process of its own, results in the order of the machines.
ComparisonSet compare_by_machine(const MeasuredTable& table, const MeasuredNames& names,
                                 const CompareOnMachine& compare, const Measured& measured) {
  const std::vector<std::string> machines = machines_of(table, names);
  std::vector<TaskOutcome> outcomes(machines.size());
  run_in_processes(
      machines.size(), core_count(),
      [&](std::size_t index) {
        Machine machine = load_machine(find_machine(machines[index]));
        machine.gpu.profile = measured.kernels;
        return to_text(compare(table, names, machine));
      },
      [&](std::size_t index, const TaskOutcome& outcome) { outcomes[index] = outcome; });
  ComparisonSet set;
  set.left_out = rows_without_machine(table, names);
  for (std::size_t index = 0; index < machines.size(); ++index) {
    // What stops a comparison is wrong in the rows.
    if (!outcomes[index].ok) throw ConfigError(machines[index] + ": " + outcomes[index].text);
    add(outcomes[index].text, set);
  }
  return set;
}

ComparisonSet compare(const std::string& set, const std::filesystem::path& data,
                      const Measured& measured) {
  const MeasuredNames names = read_measured_names();
  const MeasuredTable table(data);
  if (set == "gemm") return compare_gemms(table, names);
  if (set == "attention") return compare_attention(table, names);
  if (set == "memory") return compare_memory(table);
  if (set == "collectives") return compare_by_machine(table, names, compare_collectives, measured);
  if (set == "steps") return compare_by_machine(table, names, compare_steps, measured);
  if (set == "ablations") return compare_by_machine(table, names, compare_ablations, measured);
  const auto megatron = [&](const auto& rows, const auto& known, const Machine& machine) {
    return compare_megatron(rows, known, machine, measured.host_time);
  };
  return compare_by_machine(table, names, megatron, measured);
}

Measured read_measured(const Arguments& arguments) {
  constexpr double kMost_us = 1e6;
  const std::string set = arguments.text("set", "");
  if (arguments.has("host-us-per-layer") && set != "megatron")
    throw ConfigError("--host-us-per-layer needs --set megatron");
  if (arguments.has("kernel-profile") && set != "megatron" && set != "steps")
    throw ConfigError("--kernel-profile needs --set steps or megatron");
  Measured measured;
  measured.host_time = arguments.number("host-us-per-layer", {0, kMost_us}, 0) * kMicro;
  measured.kernels = read_kernel_profile_option(arguments);
  return measured;
}

/// The sets to compare: that of --set, or all.
std::vector<std::string> chosen_sets(const Arguments& arguments) {
  if (!arguments.has("set")) {
    if (arguments.has("data"))
      throw ConfigError("--data needs --set, which says what the rows are");
    return kSets;
  }
  const std::string set = arguments.text("set");
  if (std::ranges::find(kSets, set) == kSets.end())
    throw ConfigError(unknown_name_message("set", set, kSets));
  return {set};
}

std::optional<OutputFile> output(const Arguments& arguments, const std::string& flag) {
  if (!arguments.has(flag)) return std::nullopt;
  return OutputFile(flag, arguments.text(flag));
}

po::options_description validate_options() {
  po::options_description options("Flags", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()(
      "set", value("NAME"),
      "gemm, collectives, attention, steps, ablations, memory or megatron; all if not given");
  options.add_options()("data", value("FILE"),
                        "your own rows, with the columns of experiments/data/SET.csv");
  options.add_options()("csv", value("FILE"),
                        "every row with its prediction; - is standard output");
  options.add_options()("json", value("FILE"), "the errors; - is standard output");
  add_kernel_profile_option(options);
  options.add_options()("host-us-per-layer", value("N"),
                        "megatron: host time of a layer and micro-batch, which no step is shorter "
                        "than; 0 if not given");
  options.add_options()("help", "this text");
  return options;
}

int run_validate(const Words& words) {
  const po::options_description options = validate_options();
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim validate [--set NAME [--data FILE]] [flags]\n"
              << options << "\n"
              << kExamples;
    return 0;
  }
  const std::vector<std::string> sets = chosen_sets(arguments);
  const Measured measured = read_measured(arguments);
  const std::optional<OutputFile> csv = output(arguments, "csv"), json = output(arguments, "json");
  const bool quiet = (csv && csv->is_standard_output()) || (json && json->is_standard_output());
  std::string csv_text(kValidationCsvHeader);
  std::vector<std::string> json_objects;
  for (const std::string& set : sets) {
    const std::filesystem::path shipped = measurements_directory() / (set + ".csv");
    const ComparisonSet compared = compare(set, arguments.text("data", shipped.string()), measured);
    csv_text += validation_csv(set, compared);
    json_objects.push_back(validation_json(set, compared));
    if (!quiet) std::cout << validation_text(set, compared);
  }
  if (csv) csv->write(csv_text);
  if (json) json->write(fmt::format("[{}]\n", fmt::join(json_objects, ",\n")));
  return 0;
}

}  // namespace

const Command kValidateCommand = {
    "validate", "predictions beside published measurements, with their errors", run_validate};

}  // namespace fourfold::sim
