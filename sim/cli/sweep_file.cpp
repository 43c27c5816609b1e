#include "sim/cli/sweep_file.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/json_reader.hpp"
#include "core/schedule/setup_names.hpp"
#include "sim/cli/framework_option.hpp"
#include "sim/cli/run_configuration.hpp"

namespace fourfold::sim {
namespace {

/// What the file lists; the runs are its combinations.
struct Lists {
  std::vector<std::string> models, machines, grids, orders, overlaps, recomputes;
  std::vector<std::int64_t> gpus;
  std::int64_t batch = 0;
  std::optional<std::int64_t> sequence, micro_batch;
};

std::vector<std::string> words(JsonObject& file, const std::string& key,
                               std::vector<std::string> otherwise = {}) {
  if (!otherwise.empty() && !file.has(key)) return otherwise;
  std::vector<std::string> list = file.strings(key);
  if (list.empty()) file.fail(key, "must list at least one");
  return list;
}

std::optional<std::int64_t> optional_integer(JsonObject& file, const std::string& key) {
  if (!file.has(key)) return std::nullopt;
  return file.positive_integer(key);
}

Lists read_lists(const std::filesystem::path& path) {
  JsonObject file = read_json(path);
  Lists lists;
  lists.models = words(file, "models");
  lists.machines = words(file, "machines");
  lists.gpus = file.integers("gpus");
  for (const std::int64_t gpus : lists.gpus) {
    if (gpus < 1 || gpus > std::numeric_limits<int>::max()) {
      file.fail("gpus", fmt::format("{} is not a number of GPUs", gpus));
    }
  }
  if (lists.gpus.empty()) file.fail("gpus", "must list at least one");
  lists.grids = words(file, "grids");
  lists.orders = words(file, "orders", {"xyzd"});
  lists.overlaps = words(file, "overlaps");
  lists.recomputes = words(file, "recomputes", {"full"});
  lists.batch = file.positive_integer("batch");
  lists.sequence = optional_integer(file, "sequence");
  lists.micro_batch = optional_integer(file, "micro_batch");
  file.finish();
  return lists;
}

std::vector<std::string> grids_for(const Lists& lists, std::int64_t gpus) {
  std::vector<std::string> grids;
  for (const std::string& grid : lists.grids) {
    if (grid != "all") {
      grids.push_back(grid);
      continue;
    }
    for (const Grid& factoring : all_grids(static_cast<int>(gpus))) {
      grids.push_back(factoring.to_string());
    }
  }
  return grids;
}

void add_schedules(const Lists& lists, SweepRun run, std::vector<SweepRun>& runs) {
  for (const std::string& grid : grids_for(lists, run.gpus)) {
    run.grid = grid;
    for (const std::string& order : lists.orders) {
      run.order = order;
      for (const std::string& overlap : lists.overlaps) {
        run.overlap = overlap;
        for (const std::string& recompute : lists.recomputes) {
          run.recompute = recompute;
          runs.push_back(run);
        }
      }
    }
  }
}

std::string number_or(const std::optional<std::int64_t>& number, const char* otherwise) {
  return number ? std::to_string(*number) : otherwise;
}

}  // namespace

std::string SweepRun::name() const {
  std::string text =
      fmt::format("{}/{}/{}/{}/{}/{}/{}/{}/{}/{}", model, machine, gpus, grid, order, overlap,
                  recompute, batch, number_or(sequence, "longest"), number_or(micro_batch, "auto"));
  std::replace(text.begin(), text.end(), ',', '+');  // stands in a CSV file
  return text;
}

std::vector<SweepRun> read_sweep(const std::filesystem::path& file) {
  const Lists lists = read_lists(file);
  std::vector<SweepRun> runs;
  SweepRun run;
  run.batch = lists.batch;
  run.sequence = lists.sequence;
  run.micro_batch = lists.micro_batch;
  for (const std::string& model : lists.models) {
    run.model = model;
    for (const std::string& machine : lists.machines) {
      run.machine = machine;
      for (const std::int64_t gpus : lists.gpus) {
        run.gpus = gpus;
        add_schedules(lists, run, runs);
      }
    }
  }
  return runs;
}

RunReport execute(const SweepRun& run) {
  const GptConfig model = find_gpt_config(run.model);
  TrainConfig train;
  train.grid = Grid::parse(run.grid, parse_axis_order(run.order));
  if (train.grid.world_size() != run.gpus) {
    throw ConfigError(
        fmt::format("grid {} has {} ranks, not {}", run.grid, train.grid.world_size(), run.gpus));
  }
  train.batch = run.batch;
  train.sequence = run.sequence.value_or(model.sequence);
  train.overlap = parse_overlap(run.overlap);
  train.recompute = parse_recompute(run.recompute);
  const Machine machine = load_machine(find_machine(run.machine));
  return run_configuration(model, train, run.micro_batch, machine, usual_framework(machine));
}

}  // namespace fourfold::sim
