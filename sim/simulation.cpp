#include "sim/simulation.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "sim/engine/available_memory.hpp"
#include "sim/engine/communicators.hpp"
#include "sim/engine/disturbed_links.hpp"
#include "sim/engine/failed_links.hpp"
#include "sim/engine/folding.hpp"
#include "sim/engine/ledger.hpp"
#include "sim/engine/link_use.hpp"
#include "sim/engine/memory_need.hpp"
#include "sim/engine/replay_program.hpp"
#include "sim/engine/replayer.hpp"
#include "sim/engine/ring_transport.hpp"
#include "sim/engine/work_pace.hpp"

namespace fourfold::sim {
namespace {

void check_fits(const Grid& grid, const Machine& machine) {
  if (grid.world_size() <= machine.gpus) return;
  throw ConfigError(fmt::format(
      "grid {} has {} ranks but {} has {} GPUs; choose a smaller grid or a larger machine",
      grid.to_string(), grid.world_size(), machine.name, machine.gpus));
}

std::vector<KernelTime> kernel_times(const ReplayProgram& program) {
  std::map<std::string_view, KernelTime> by_name;
  for (const TimedKernel& kernel : program.kernels) {
    KernelTime& time = by_name[kernel.name];
    time.name = kernel.name;
    time.count += 1;
    time.busy += kernel.duration;
    time.flops += kernel.flops;
  }
  std::vector<KernelTime> times;
  for (const auto& [name, time] : by_name) times.push_back(time);
  std::stable_sort(times.begin(), times.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.busy > b.busy; });
  return times;
}

std::vector<CollectiveTime> collective_times(const ReplayProgram& program, const Ledger& ledger,
                                             int world_size) {
  std::vector<CollectiveTime> times;
  for (std::size_t type = 0; type < program.collective_types.size(); ++type) {
    CollectiveTime time{};
    time.kind = program.collective_types[type].kind;
    time.axes = program.collective_types[type].axes;
    time.busy = ledger.busy()[type] / world_size;
    time.exposed = ledger.exposed()[type] / world_size;
    times.push_back(time);
  }
  for (const ProgramCollective& collective : program.collectives) {
    CollectiveTime& time = times[static_cast<std::size_t>(collective.type)];
    time.count += 1;
    time.bytes_per_rank += collective.ring_bytes;
  }
  return times;
}

/// Ranks that `Fold::replicas` keeps apart: all of a data-parallel replica, and `replicas` of these.
std::vector<std::uint64_t> kinds_of_replicas(const Grid& grid, int replicas) {
  std::vector<std::uint64_t> kinds;
  for (int rank = 0; rank < grid.world_size(); ++rank) {
    Coordinate place = grid.coordinate(rank);
    place[static_cast<std::size_t>(Axis::data)] %= replicas;
    kinds.push_back(static_cast<std::uint64_t>(grid.rank(place)));
  }
  return kinds;
}

/// Ranks of different kinds are never folded together.
std::vector<std::uint64_t> kinds_of_ranks(const Grid& grid, const SimulationOptions& options) {
  const auto world_size = static_cast<std::size_t>(grid.world_size());
  std::vector<std::uint64_t> kinds(world_size, 0);
  if (options.fold == Fold::replicas) kinds = kinds_of_replicas(grid, options.fold_replicas);
  for (const SlowRank& slow : options.disturbances.slow_ranks) {
    const auto rank = static_cast<std::size_t>(slow.rank);
    kinds[rank] = world_size + rank;
  }
  return kinds;
}

/// The step-by-step mode looks at the true hops of every ring, and under jitter no two ranks are alike.
bool may_fold(const SimulationOptions& options) {
  return options.ring_mode == RingMode::macro_flow && options.disturbances.jitter_sigma == 0;
}

bool replays_every_rank(const SimulationOptions& options) {
  return options.fold == Fold::off || !may_fold(options);
}

Folding fold_as_asked(const Communicators& communicators, const Grid& grid, const Network& network,
                      const SimulationOptions& options) {
  if (replays_every_rank(options)) {
    return no_folding(communicators, grid.world_size());
  }
  if (options.fold_replicas < 1)
    throw ConfigError("the number of folded replicas must be at least 1");
  return fold(communicators, grid.world_size(), network.links(), kinds_of_ranks(grid, options));
}

/// Everything but the use of the links.
SimulationResult summarise(const ReplayProgram& program, const Folding& folding, Ledger& ledger,
                           Seconds step_time) {
  const auto world_size = static_cast<int>(folding.class_of_rank.size());
  SimulationResult result;
  result.step_time = step_time;
  result.compute_busy = ledger.mean_work();
  result.compute_idle = step_time - result.compute_busy;
  result.kernels = kernel_times(program);
  result.collectives = collective_times(program, ledger, world_size);
  result.longest_waits = ledger.longest_waits(step_time);
  result.timeline = ledger.take_timeline();
  result.ranks = world_size;
  result.replayed_ranks = folding.classes();
  result.rank_operations = program.operations * folding.classes();
  return result;
}

}  // namespace

SimulationResult simulate(const StepProgram& step_program, const Grid& grid, const Machine& machine,
                          const SimulationOptions& options) {
  check_fits(grid, machine);
  check_disturbances(options.disturbances, grid.world_size());
  Network& network = Network::load(machine.file);
  const DisturbedLinks disturbed_links(network, options.disturbances);
  const std::set<LinkId> failed = find_failed_links(network, options.disturbances);
  const Machine detoured = around_failed_nics(machine, network, failed);
  const ReplayProgram program = compile(
      step_program, grid,
      KernelModel(machine.gpu, ClockMode::training, slowdown(machine.fleet, grid.world_size())));
  const MemoryNeed memory = memory_need(program, grid);
  const Bytes memory_limit = options.memory_limit.value_or(available_memory());
  const int fewest_replayed = replays_every_rank(options) ? grid.world_size() : 1;
  check_memory(memory, fewest_replayed, may_fold(options), memory_limit);
  const Communicators communicators = lay_out(program.communicators, grid, detoured, network);
  check_connected(communicators, network, failed);
  const CollectiveModel collective_model(machine.library, machine.node_links());
  const Folding folding = fold_as_asked(communicators, grid, network, options);
  check_memory(memory, folding.classes(), options.fold != Fold::automatic, memory_limit);
  const WorkPace pace(options.disturbances, folding);
  Ledger ledger(program, folding, options.traced_ranks);

  Replayer replayer(program, folding, pace, collective_model, network, ledger);
  const auto done = [&replayer](int ring, Seconds end) { replayer.collective_done(ring, end); };
  const std::unique_ptr<RingTransport> transport =
      options.ring_mode == RingMode::macro_flow
          ? make_macro_flow_transport(folding.communicators.rings, options.prune_links, network,
                                      done)
          : make_step_transport(communicators.rings, detoured, network, done);

  const Seconds step_time = replayer.run(*transport, options.progress);
  SimulationResult result = summarise(program, folding, ledger, step_time);
  const std::vector<LinkUse> links =
      link_use(program, communicators, network.links(), result.step_time);
  result.link_classes = use_by_class(links);
  result.busiest_links = busiest(links);
  result.flows = transport->flows();
  return result;
}

}  // namespace fourfold::sim
