// fourfold-sim collective: the time of a collective over a range of sizes, in the columns of
// nccl-tests.

#include <functional>
#include <iostream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"
#include "core/base/names.hpp"
#include "core/cost/exchange_model.hpp"
#include "core/cost/two_level.hpp"
#include "sim/cli/command.hpp"
#include "sim/machine.hpp"
#include "sim/report/text_table.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kSmallestBytes = 1024;
constexpr std::int64_t kLargestBytes = std::int64_t{1} << 40;
constexpr std::int64_t kElementBytes = 4;  // nccl-tests counts floats

constexpr std::string_view kExamples = R"(Examples:
  fourfold-sim collective --machine alps --gpus 512 --op all_reduce --bytes 1G
  fourfold-sim collective --machine alps --gpus 64 --op all_gather --bytes 1M:1G:x4 --algorithm ring
  fourfold-sim collective --machine frontier --gpus 1024 --gpus-per-node 1 --op all_gather
)";

/// How long one collective of `bytes` takes, and how it is done.
struct Timed {
  Seconds time = 0;
  std::string algorithm, protocol;
};

/// A collective on a group, as the flags ask for it.
struct Measurement {
  std::function<Timed(Bytes)> run;
  std::function<double(double bytes)> bus_bytes;  ///< by which busbw is defined, as in nccl-tests
};

struct SizeRange {
  std::int64_t smallest = kSmallestBytes, largest = std::int64_t{1} << 30, factor = 2;
};

/// "64K", "1M", "1G" as nccl-tests counts: powers of 1,024.
std::int64_t parse_size(const std::string& text) {
  std::int64_t unit = 1;
  std::string digits = text;
  const auto suffix = std::string("KMGT").find(text.empty() ? ' ' : text.back());
  if (suffix != std::string::npos) {
    unit = std::int64_t{1} << (10 * (suffix + 1));
    digits.pop_back();
  }
  return unit * parse_integer("--bytes", digits, 1, kLargestBytes / unit);
}

/// "1G" is from 1 KiB to 1 GiB in powers of two, "1M:1G" from 1 MiB, "1M:1G:x4" in powers of four.
SizeRange parse_range(const std::string& text) {
  SizeRange range;
  const auto first = text.find(':');
  if (first == std::string::npos) {
    range.largest = parse_size(text);
    range.smallest = std::min(kSmallestBytes, range.largest);
    return range;
  }
  const auto second = text.find(':', first + 1);
  range.smallest = parse_size(text.substr(0, first));
  range.largest = parse_size(text.substr(first + 1, second - first - 1));
  if (range.largest < range.smallest) {
    throw ConfigError(fmt::format("--bytes {}: the range ends below its beginning", text));
  }
  if (second == std::string::npos) return range;
  const std::string step = text.substr(second + 1);
  if (step.empty() || step.front() != 'x') {
    throw ConfigError(fmt::format("--bytes {}: \"{}\" is not a factor such as x2", text, step));
  }
  range.factor = parse_integer("--bytes", step.substr(1), 2, kLargestBytes);
  return range;
}

/// Full nodes unless --gpus-per-node says otherwise.
GroupPlacement read_group(const Arguments& arguments, const Machine& machine) {
  const int ranks = static_cast<int>(arguments.positive("gpus", machine.gpus));
  if (ranks < 2) throw ConfigError("--gpus: a collective needs at least 2 ranks");
  const int most = std::min(ranks, machine.gpus_per_node);
  const int per_node = static_cast<int>(arguments.integer("gpus-per-node", {1, most}, most));
  const int nodes = static_cast<int>(ceil_div(ranks, per_node));
  if (nodes > machine.nodes()) {
    throw ConfigError(fmt::format("--gpus-per-node: {} GPUs, {} a node, need {} nodes; {} has {}",
                                  ranks, per_node, nodes, machine.name, machine.nodes()));
  }
  return {.ranks = ranks, .nodes = nodes, .ranks_per_node = per_node};
}

/// A collective of rings and trees. `algorithm` as the flag has it.
Measurement measure_collective(CollectiveKind kind, const std::string& algorithm,
                               const Machine& machine, const GroupPlacement& group) {
  const NodeLinks links = machine.node_links();
  const CollectiveModel model(machine.library, links);
  std::function<Timed(Bytes)> run;
  if (algorithm == "hierarchical") {
    run = [=, memory_bandwidth = machine.gpu.memory_bandwidth](Bytes bytes) {
      return Timed{two_level_time(model, links, memory_bandwidth, kind, bytes, group), algorithm,
                   "-"};
    };
  } else {
    std::optional<CollectiveAlgorithm> chosen;
    if (algorithm != "auto") chosen = parse_collective_algorithm(algorithm);
    run = [=](Bytes bytes) {
      const CollectiveCost cost =
          chosen ? model.cost(kind, bytes, group, *chosen) : model.cost(kind, bytes, group);
      return Timed{model.time_alone(cost, kind, bytes, group), std::string(name_of(cost.algorithm)),
                   std::string(name_of(cost.protocol))};
    };
  }
  return {run, [=](double bytes) { return bytes * ring_bytes_per_rank(kind, 1, group.ranks); }};
}

/// send_recv and all_to_all.
Measurement measure_exchange(bool all_to_all, const std::string& algorithm, const Machine& machine,
                             const GroupPlacement& group) {
  if (algorithm != "auto") {
    throw ConfigError(fmt::format("--algorithm {}: send_recv and all_to_all have none", algorithm));
  }
  const ExchangeModel model(machine.library, machine.node_links());
  if (!all_to_all) {
    return {[=](Bytes bytes) {
              return Timed{model.send_recv(bytes, group), "pairs", "-"};
            },
            [](double bytes) { return bytes; }};
  }
  return {[=](Bytes bytes) {
            return Timed{model.all_to_all(bytes, group), "pairs", "-"};
          },
          [=](double bytes) { return bytes * (group.ranks - 1) / group.ranks; }};
}

Measurement read_measurement(const std::string& operation, const std::string& algorithm,
                             const Machine& machine, const GroupPlacement& group) {
  if (operation == "send_recv" || operation == "all_to_all")
    return measure_exchange(operation == "all_to_all", algorithm, machine, group);
  std::vector<std::string> known = {"send_recv", "all_to_all"};
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::broadcast}) {
    if (operation == name_of(kind)) return measure_collective(kind, algorithm, machine, group);
    known.emplace_back(name_of(kind));
  }
  throw ConfigError("--op: " + unknown_name_message("collective", operation, known));
}

std::string table(const Measurement& measurement, const SizeRange& range) {
  TextTable table(
      {"size B", "count", "time us", "algbw GB/s", "busbw GB/s", "algorithm", "protocol"});
  for (std::int64_t bytes = range.smallest; bytes <= range.largest; bytes *= range.factor) {
    const Timed timed = measurement.run(bytes);
    const auto rate = [&](double moved) {
      return fmt::format("{:.2f}", moved / timed.time / kGiga);
    };
    const auto size = static_cast<double>(bytes);
    table.add_row({grouped(bytes), grouped(bytes / kElementBytes),
                   fmt::format("{:.1f}", timed.time / kMicro), rate(size),
                   rate(measurement.bus_bytes(size)), timed.algorithm, timed.protocol});
  }
  return table.to_string();
}

int run_collective(const Words& words) {
  po::options_description options("Flags", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("machine", value("NAME"), "machine by name or path of a platform XML file");
  options.add_options()("gpus", value("N"), "ranks, at least 2");
  options.add_options()("gpus-per-node", value("N"), "ranks on a node; full nodes if not given");
  options.add_options()("op", value("NAME"),
                        "all_reduce (default), all_gather, reduce_scatter, broadcast, send_recv "
                        "(each rank to the next), all_to_all");
  options.add_options()("bytes", value("SIZES"),
                        "full buffers: up to SIZE such as 64M, or FIRST:LAST:xFACTOR such as "
                        "1M:1G:x2; 1G if not given. all_to_all: what a rank sends to all");
  options.add_options()("algorithm", value("NAME"),
                        "auto (default, as the library chooses), ring, tree, nvls, hierarchical "
                        "(two levels, as PCCL)");
  options.add_options()("help", "this text");
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim collective --machine NAME --gpus N [flags]\n"
              << options << "\n"
              << kExamples;
    return 0;
  }
  const std::string operation = arguments.text("op", "all_reduce");
  const SizeRange range = parse_range(arguments.text("bytes", "1G"));
  const Machine machine = load_machine(find_machine(arguments.text("machine")));
  const GroupPlacement group = read_group(arguments, machine);
  const Measurement measurement =
      read_measurement(operation, arguments.text("algorithm", "auto"), machine, group);
  const std::string rows = table(measurement, range);
  std::cout << fmt::format("{} of {} GPUs on {} node{} of {}, {}; no other traffic\n\n", operation,
                           group.ranks, group.nodes, group.nodes == 1 ? "" : "s", machine.name,
                           machine.library.name)
            << rows;
  return 0;
}

}  // namespace

const Command kCollectiveCommand = {
    "collective", "time of a collective over sizes, as nccl-tests prints it", run_collective};

}  // namespace fourfold::sim
