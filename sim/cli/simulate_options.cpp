#include "sim/cli/simulate_options.hpp"

#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "core/schedule/setup_names.hpp"
#include "sim/cli/disturbance_options.hpp"
#include "sim/cli/framework_option.hpp"
#include "sim/cli/kernel_profile_option.hpp"
#include "sim/cli/gpu_options.hpp"
#include "sim/engine/available_memory.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

po::options_description run_options() {
  po::options_description options("What to run", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("model", value("NAME"),
                        "model by name (`fourfold-sim models`) or path of a JSON file");
  options.add_options()("machine", value("NAME"),
                        "machine by name (`fourfold-sim machines`) or path of a platform XML file");
  options.add_options()("gpus", value("N"), "number of GPUs; checked against the grid");
  options.add_options()("grid", value("XxYxZxDATA"), "ranks along x, y, z and data");
  options.add_options()("order", value("AXES"),
                        "axes from neighbouring ranks outwards; xyzd if not given");
  options.add_options()("batch", value("N"), "sequences per step, over all GPUs");
  options.add_options()("seq", value("N"), "tokens per sequence; the model's longest if not given");
  options.add_options()(
      "micro-batch", value("N|auto"),
      "sequences per GPU and micro-batch; auto = the largest that fits the memory");
  return options;
}

po::options_description method_options() {
  po::options_description options("How to run it", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()(
      "overlap", value("WHAT"),
      "none, paper (oar,ors,oag), all, or a list of oar, ors, oag, odp: all-reduce, "
      "reduce-scatter, all-gather, data-parallel all-reduce behind computation; all if not given");
  options.add_options()("recompute", value("full|none"),
                        "activations of a block: recomputed (default) or kept");
  options.add_options()("attention", value("flash|unfused"),
                        "attention kernel; flash if not given");
  options.add_options()("dtype", value("TYPE"), "bf16 (default), fp32, fp64");
  add_framework_option(options);
  add_kernel_profile_option(options);
  add_gpu_options(options);
  options.add_options()("fold", value("auto|off|N"),
                        "auto: one rank replayed for all in symmetric places; N: every rank of N "
                        "data-parallel replicas; off: every rank");
  options.add_options()("fold-time", value("auto|off"),
                        "auto: of more than 6 micro-batches a few are replayed, and the others "
                        "continue their rhythm; off, and always with --jitter: all are replayed");
  options.add_options()("memory-limit", value("GB|none"),
                        "memory of this computer that the replay may take, as foreseen; what is "
                        "available if not given");
  options.add_options()(
      "ring-mode", value("MODE"),
      "macro-flow (default) or step-by-step (slow, to check the former on small groups)");
  options.add_options()("trace-ranks", value("LIST"),
                        "ranks whose timeline is traced; 0 if not given");
  options.add_options()("quiet", "no report and no progress bar");
  options.add_options()("help", "this text");
  return options;
}

Grid read_grid(const Arguments& arguments) {
  const Grid grid =
      Grid::parse(arguments.text("grid"), parse_axis_order(arguments.text("order", "xyzd")));
  if (!arguments.has("gpus")) return grid;
  const std::int64_t gpus = arguments.positive("gpus", std::numeric_limits<int>::max());
  if (gpus != grid.world_size()) {
    throw ConfigError(
        fmt::format("grid {} has {} ranks, but --gpus is {}; choose a grid whose product is {}, or "
                    "--gpus {}",
                    grid.to_string(), grid.world_size(), gpus, gpus, grid.world_size()));
  }
  return grid;
}

RingMode parse_ring_mode(const std::string& text) {
  if (text == "macro-flow") return RingMode::macro_flow;
  if (text == "step-by-step") return RingMode::step_by_step;
  throw ConfigError(unknown_name_message("ring mode", text, {"macro-flow", "step-by-step"}));
}

void read_fold(const Arguments& arguments, SimulationOptions& options) {
  const std::string text = arguments.text("fold", "auto");
  if (text == "auto") return;
  options.fold = text == "off" ? Fold::off : Fold::replicas;
  if (options.fold == Fold::replicas) {
    options.fold_replicas =
        static_cast<int>(arguments.positive("fold", std::numeric_limits<int>::max()));
  }
}

/// Jitter has no rhythm to continue.
FoldTime read_fold_time(const Arguments& arguments, const Disturbances& disturbances) {
  const std::string text = arguments.text("fold-time", "auto");
  if (text != "auto" && text != "off") {
    throw ConfigError(unknown_name_message("--fold-time", text, {"auto", "off"}));
  }
  return text == "off" || disturbances.jitter_sigma != 0 ? FoldTime::off : FoldTime::automatic;
}

std::optional<Bytes> read_memory_limit(const Arguments& arguments) {
  constexpr double kMost_GB = 1e6;
  if (!arguments.has("memory-limit")) return std::nullopt;
  std::string text = arguments.text("memory-limit");
  if (text == "none") return kUnlimitedMemory;
  if (text.ends_with("GB")) text.resize(text.size() - 2);
  return static_cast<Bytes>(parse_number("memory-limit", text, {0, kMost_GB}) * kGiga);
}

std::vector<int> read_traced_ranks(const Arguments& arguments, const Grid& grid) {
  std::vector<int> ranks;
  for (const std::string& text : split_list(arguments.text("trace-ranks", "0"))) {
    ranks.push_back(static_cast<int>(parse_integer("trace-ranks", text, 0, grid.world_size() - 1)));
  }
  return ranks;
}

std::optional<std::int64_t> read_micro_batch(const Arguments& arguments) {
  if (arguments.text("micro-batch", "auto") == "auto") return std::nullopt;
  return arguments.positive("micro-batch");
}

}  // namespace

po::options_description simulate_options() {
  po::options_description options("", 100);
  return options.add(run_options()).add(method_options()).add(disturbance_options());
}

SimulateRequest read_simulate_request(const Arguments& arguments) {
  SimulateRequest request;
  request.model = find_gpt_config(arguments.text("model"));
  request.machine = find_machine(arguments.text("machine"));
  request.micro_batch = read_micro_batch(arguments);

  TrainConfig& train = request.train;
  train.grid = read_grid(arguments);
  train.batch = arguments.positive("batch");
  train.sequence = arguments.has("seq") ? arguments.positive("seq") : request.model.sequence;
  train.dtype = parse_dtype(arguments.text("dtype", "bf16"));
  train.recompute = parse_recompute(arguments.text("recompute", "full"));
  train.attention = parse_attention(arguments.text("attention", "flash"));
  train.overlap = parse_overlap(arguments.text("overlap", "all"));
  train.micro_batch = request.micro_batch.value_or(1);
  check_divisibility(request.model, train);

  request.simulation.ring_mode = parse_ring_mode(arguments.text("ring-mode", "macro-flow"));
  read_fold(arguments, request.simulation);
  request.simulation.memory_limit = read_memory_limit(arguments);
  request.simulation.disturbances = read_disturbances(arguments);
  request.fold_time = read_fold_time(arguments, request.simulation.disturbances);
  request.simulation.traced_ranks = read_traced_ranks(arguments, train.grid);
  request.quiet = arguments.has("quiet");
  return request;
}

}  // namespace fourfold::sim
