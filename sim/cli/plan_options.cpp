#include "sim/cli/plan_options.hpp"

#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/schedule/setup_names.hpp"
#include "sim/cli/framework_option.hpp"
#include "sim/cli/kernel_profile_option.hpp"
#include "sim/cli/gpu_options.hpp"
#include "sim/cli/process_pool.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

po::options_description what_options() {
  po::options_description options("What to plan", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("model", value("NAME"),
                        "model by name (`fourfold-sim models`) or path of a JSON file");
  options.add_options()("machine", value("NAME"),
                        "machine by name (`fourfold-sim machines`) or path of a platform XML file");
  options.add_options()("gpus", value("N"), "number of GPUs");
  options.add_options()("batch", value("N"), "sequences per step, over all GPUs");
  options.add_options()("seq", value("N"), "tokens per sequence; the model's longest if not given");
  options.add_options()("micro-batch", value("N|auto"),
                        "sequences per GPU and micro-batch; auto (default) tries all that divide");
  options.add_options()("recompute", value("full|none|auto"),
                        "activations recomputed, kept, or whatever is faster (default)");
  options.add_options()("orders", "try all orders of the axes, not only x, y, z, data");
  options.add_options()("overlap", value("WHAT"),
                        "none, paper, all (default), or a list of oar, ors, oag, odp");
  options.add_options()("attention", value("flash|unfused"),
                        "attention kernel; flash if not given");
  options.add_options()("dtype", value("TYPE"), "bf16 (default), fp32, fp64");
  add_framework_option(options);
  add_kernel_profile_option(options);
  add_gpu_options(options);
  return options;
}

po::options_description how_options() {
  po::options_description options("How, and what to show", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()(
      "model-variant", value("NAME"),
      "fitted (default): latency, protocols, overlap; paper: the equations of the "
      "AxoNN paper; scripted: as its authors ran them");
  options.add_options()("top", value("N"), "plans to print; 10 if not given");
  options.add_options()("verify", value("N|all"), "simulate the N best, and rank them again");
  options.add_options()("jobs", value("N"),
                        "simulations at a time; the number of cores if not given");
  options.add_options()("explain", value("XxYxZxDATA"),
                        "say why this grid is slow or does not work, and what is nearest to it");
  options.add_options()("order", value("AXES"),
                        "order of the axes for --explain; xyzd if not given");
  options.add_options()("json", value("FILE"), "all plans as JSON; - for standard output");
  options.add_options()("csv", value("FILE"), "all plans as CSV; - for standard output");
  options.add_options()("quiet", "no table and no progress bar");
  options.add_options()("help", "this text");
  return options;
}

std::vector<Recompute> read_recompute(const Arguments& arguments) {
  const std::string text = arguments.text("recompute", "auto");
  if (text == "auto") return {Recompute::full, Recompute::none};
  return {parse_recompute(text)};
}

PlanRequest read_search(const Arguments& arguments, const GptConfig& model) {
  PlanRequest request;
  request.gpus = static_cast<int>(arguments.positive("gpus", std::numeric_limits<int>::max()));
  request.recompute = read_recompute(arguments);
  if (arguments.text("micro-batch", "auto") != "auto") {
    request.micro_batch = arguments.positive("micro-batch");
  }
  if (arguments.has("orders")) request.orders = all_axis_orders();
  TrainConfig& train = request.train;
  train.batch = arguments.positive("batch");
  train.sequence =
      arguments.has("seq") ? arguments.positive("seq", model.sequence) : model.sequence;
  train.dtype = parse_dtype(arguments.text("dtype", "bf16"));
  train.attention = parse_attention(arguments.text("attention", "flash"));
  train.overlap = parse_overlap(arguments.text("overlap", "all"));
  return request;
}

std::size_t read_verified(const Arguments& arguments) {
  if (!arguments.has("verify")) return 0;
  if (arguments.text("verify") == "all") return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(arguments.positive("verify"));
}

void read_outputs(const Arguments& arguments, PlanCommandRequest& request) {
  if (arguments.has("json")) request.json.emplace("json", arguments.text("json"));
  if (arguments.has("csv")) request.csv.emplace("csv", arguments.text("csv"));
  if (request.json && request.csv && request.json->path() == request.csv->path()) {
    throw ConfigError("--json and --csv name the same file; give each a file of its own");
  }
}

}  // namespace

po::options_description plan_options() {
  po::options_description options("", 100);
  return options.add(what_options()).add(how_options());
}

PlanCommandRequest read_plan_request(const Arguments& arguments) {
  PlanCommandRequest request;
  request.model = find_gpt_config(arguments.text("model"));
  request.search = read_search(arguments, request.model);
  request.variant = parse_comm_variant(arguments.text("model-variant", "fitted"));
  if (arguments.has("top")) request.top = static_cast<std::size_t>(arguments.positive("top"));
  request.verified = read_verified(arguments);
  request.jobs =
      arguments.has("jobs") ? static_cast<int>(arguments.positive("jobs", 4096)) : core_count();
  if (arguments.has("explain")) {
    request.explain =
        Grid::parse(arguments.text("explain"), parse_axis_order(arguments.text("order", "xyzd")));
    if (request.explain->world_size() != request.search.gpus) {
      throw ConfigError(fmt::format("--explain {}: has {} ranks, but --gpus is {}",
                                    request.explain->to_string(), request.explain->world_size(),
                                    request.search.gpus));
    }
  }
  read_outputs(arguments, request);
  request.quiet = arguments.has("quiet");
  request.machine = load_machine(find_machine(arguments.text("machine")));
  request.machine.gpu.profile = read_kernel_profile_option(arguments);
  request.framework = read_framework_option(arguments, request.machine);
  apply_gpu_options(arguments, request.machine);
  if (request.search.gpus > request.machine.gpus) {
    throw ConfigError(fmt::format("--gpus {}: machine {} has {} GPUs", request.search.gpus,
                                  request.machine.name, request.machine.gpus));
  }
  return request;
}

AnalyticMachine analytic_machine(const Machine& machine) {
  AnalyticMachine analytic{machine.gpu, machine.library, machine.node_links(), {},
                           machine.fleet};
  const fs::path table = fs::path("bandwidths") / (machine.name + ".json");
  for (const fs::path& folder : {machine.file.parent_path(), platforms_directory()}) {
    if (!fs::exists(folder / table)) continue;
    analytic.bandwidths = read_bandwidth_table(folder / table);
    break;
  }
  return analytic;
}

}  // namespace fourfold::sim
