// fourfold-sim collective: the time of a collective over a range of sizes, in the columns of nccl-tests.

#include <iostream>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"
#include "core/base/names.hpp"
#include "sim/cli/command.hpp"
#include "sim/machine.hpp"
#include "sim/report/text_table.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kSmallestBytes = 1024;
constexpr std::int64_t kLargestBytes = std::int64_t{1} << 40;

constexpr std::string_view kExamples = R"(Examples:
  fourfold-sim collective --machine alps --gpus 512 --op all_reduce --bytes 1G
  fourfold-sim collective --machine frontier --gpus 1024 --gpus-per-node 1 --op all_gather
)";

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

CollectiveKind parse_kind(const std::string& text) {
  std::vector<std::string> known;
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::broadcast}) {
    if (text == name_of(kind)) return kind;
    known.emplace_back(name_of(kind));
  }
  throw ConfigError("--op: " + unknown_name_message("collective", text, known));
}

/// Full nodes unless --gpus-per-node says otherwise.
GroupPlacement read_group(const Arguments& arguments, const Machine& machine) {
  const int ranks = static_cast<int>(arguments.positive("gpus", machine.gpus));
  const int most = std::min(ranks, machine.gpus_per_node);
  const int per_node = static_cast<int>(arguments.integer("gpus-per-node", {1, most}, most));
  const int nodes = static_cast<int>(ceil_div(ranks, per_node));
  if (nodes > machine.nodes()) {
    throw ConfigError(fmt::format("--gpus-per-node: {} GPUs, {} a node, need {} nodes; {} has {}",
                                  ranks, per_node, nodes, machine.name, machine.nodes()));
  }
  return {.ranks = ranks, .nodes = nodes, .ranks_per_node = per_node};
}

std::string table(const CollectiveModel& model, CollectiveKind kind, const GroupPlacement& group,
                  std::int64_t largest) {
  TextTable table({"size B", "time us", "algbw GB/s", "busbw GB/s"});
  for (std::int64_t bytes = std::min(kSmallestBytes, largest); bytes <= largest; bytes *= 2) {
    const Seconds time = model.time_alone(kind, bytes, group);
    const double algorithm_bandwidth = static_cast<double>(bytes) / time / kGiga;
    const double bus_bandwidth = ring_bytes_per_rank(kind, bytes, group.ranks) / time / kGiga;
    table.add_row({grouped(bytes), fmt::format("{:.1f}", time / kMicro),
                   fmt::format("{:.2f}", algorithm_bandwidth),
                   fmt::format("{:.2f}", bus_bandwidth)});
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
                        "all_reduce (default), all_gather, reduce_scatter, broadcast");
  options.add_options()("bytes", value("SIZE"),
                        "largest full buffer, such as 64M; 1G if not given");
  options.add_options()("help", "this text");
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim collective --machine NAME --gpus N [flags]\n"
              << options << "\n"
              << kExamples;
    return 0;
  }
  const CollectiveKind kind = parse_kind(arguments.text("op", "all_reduce"));
  const std::int64_t largest = parse_size(arguments.text("bytes", "1G"));
  const Machine machine = load_machine(find_machine(arguments.text("machine")));
  const GroupPlacement group = read_group(arguments, machine);
  if (group.ranks < 2) throw ConfigError("--gpus: a collective needs at least 2 ranks");
  std::cout << fmt::format("{} of {} GPUs on {} nodes of {}, {}; no other traffic\n\n",
                           name_of(kind), group.ranks, group.nodes, machine.name,
                           machine.library.name)
            << table({machine.library, machine.node_links()}, kind, group, largest);
  return 0;
}

}  // namespace

const Command kCollectiveCommand = {
    "collective", "time of a collective over sizes, as nccl-tests prints it", run_collective};

}  // namespace fourfold::sim
