// Speed of the replay: GPT-80B on GPUs of Perlmutter, every rank replayed.
//
//   replay_benchmark [GRID [MICRO_BATCHES]]      default 4x1x32x8 1
//
// Compares three programs, each in a process of its own, as SimGrid keeps one platform per process:
//   replay           sim::simulate
//   bare flows       only the flows of that replay, started at the same simulated times: the ceiling of what a replay on
//                    these flows can reach
//   flow per rank    the same collectives with one flow for every hop of every ring, for the first tenth of them: what the
//                    macro-flows save

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/models/gpt_config.hpp"
#include "core/schedule/train_step.hpp"
#include "sim/engine/communicators.hpp"
#include "sim/engine/link_pruning.hpp"
#include "sim/engine/replayer.hpp"

namespace fourfold::sim {
namespace {

struct Measurement {
  Seconds cpu = 0;
  double flows = 0, operations = 0, peak_MB = 0, step_time = 0;
};

/// Processor time of this process: other programs on the machine do not disturb it, and nothing here waits.
Seconds cpu_clock() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Runs `work` in a child process and adds the peak memory of it.
Measurement in_own_process(const std::function<Measurement()>& work) {
  std::fflush(stdout);  // or the child has it too
  int channel[2];
  if (pipe(channel) != 0) std::abort();
  if (fork() == 0) {
    Measurement result = work();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    result.peak_MB = static_cast<double>(usage.ru_maxrss) / 1e3;  // Linux counts in KB
    const bool sent = write(channel[1], &result, sizeof result) == sizeof result;
    _exit(sent ? 0 : 1);
  }
  close(channel[1]);  // so that a child that fails ends the read
  Measurement result;
  if (read(channel[0], &result, sizeof result) != sizeof result) std::abort();
  close(channel[0]);
  wait(nullptr);
  return result;
}

Machine benchmark_machine() {
  return load_machine(find_machine("perlmutter"));
}

/// A collective as the replay started it.
struct Start {
  Seconds time = 0;
  int ring = 0;
  RingTransfer transfer;
};

class RecordingTransport final : public RingTransport {
 public:
  RecordingTransport(RingTransport& inner, const Network& network)
      : inner_(inner), network_(network) {}
  void start(int ring, const RingTransfer& transfer) override {
    starts.push_back({network_.now(), ring, transfer});
    inner_.start(ring, transfer);
  }
  std::vector<Start> starts;

 private:
  RingTransport& inner_;
  const Network& network_;
};

struct Scene {
  Scene(const StepProgram& step_program, const Grid& grid)
      : machine(benchmark_machine()),
        network(Network::load(machine.file)),
        program(compile(step_program, grid, KernelModel(machine.gpu))),
        communicators(lay_out(program.communicators, grid, machine, network)) {}

  std::vector<Start> starts(const Grid& grid) {
    const CollectiveModel model(machine.library, machine.node_links());
    const Folding folding = no_folding(communicators, grid.world_size());
    const WorkPace pace({}, folding);
    Ledger ledger(program, folding, {});
    Replayer replayer(program, folding, pace, model, network, ledger);
    const auto transport = make_macro_flow_transport(
        communicators.rings, true, network,
        [&](int ring, Seconds end) { replayer.collective_done(ring, end); });
    RecordingTransport recorder(*transport, network);
    replayer.run(recorder, nullptr);
    return recorder.starts;
  }

  Machine machine;
  Network& network;
  ReplayProgram program;
  Communicators communicators;
};

struct BareFlow {
  RouteId route = 0;
  double share = 0;
};

/// Moves only the bytes of `starts` over the routes of their rings.
Measurement move_flows(Network& network, const std::vector<Start>& starts,
                       const std::vector<std::vector<BareFlow>>& flows_of_ring) {
  Measurement result;
  const Seconds origin = network.now();
  const Seconds begin = cpu_clock();
  for (const Start& start : starts) {
    const std::vector<BareFlow>& flows = flows_of_ring[static_cast<std::size_t>(start.ring)];
    network.at(origin + start.time, [&network, &start, &flows] {
      for (const BareFlow& flow : flows)
        network.send(flow.route, start.transfer.bytes * flow.share, [] {});
    });
    result.flows += static_cast<double>(flows.size());
  }
  network.run();
  result.cpu = cpu_clock() - begin;
  return result;
}

Measurement measure_replay(const StepProgram& program, const Grid& grid) {
  const Machine machine = benchmark_machine();
  const Seconds begin = cpu_clock();
  SimulationOptions every_rank;
  every_rank.fold = Fold::off;
  const SimulationResult result = simulate(program, grid, machine, every_rank);
  return {.cpu = cpu_clock() - begin,
          .flows = static_cast<double>(result.flows),
          .operations = static_cast<double>(result.rank_operations),
          .step_time = result.step_time};
}

Measurement measure_bare_flows(const StepProgram& program, const Grid& grid) {
  Scene scene(program, grid);
  const std::vector<Start> starts = scene.starts(grid);
  std::vector<std::vector<LinkId>> links;
  for (const Ring& ring : scene.communicators.rings) {
    for (const RingFlow& flow : ring.flows) links.push_back(union_of_links(flow));
  }
  links = prune_links(links, scene.network.links());
  std::vector<std::vector<BareFlow>> flows;
  std::size_t next = 0;
  for (const Ring& ring : scene.communicators.rings) {
    flows.emplace_back();
    for (const RingFlow& flow : ring.flows) {
      flows.back().push_back({scene.network.add_route(links[next++]), flow.share});
    }
  }
  return move_flows(scene.network, starts, flows);
}

Measurement measure_flow_per_rank(const StepProgram& program, const Grid& grid) {
  Scene scene(program, grid);
  std::vector<Start> starts = scene.starts(grid);
  starts.resize(starts.size() / 10);
  std::vector<std::vector<BareFlow>> flows;
  for (const Ring& ring : scene.communicators.rings) {
    flows.emplace_back();
    for (const RingFlow& flow : ring.flows) {
      for (const std::vector<LinkId>& hop : flow.hops) {
        flows.back().push_back({scene.network.add_route(hop), flow.share});
      }
    }
  }
  return move_flows(scene.network, starts, flows);
}

void print(const char* name, const Measurement& measurement) {
  fmt::print("{:<14} {:8.2f} s {:10.0f} flows {:10.0f} flows/s {:8.1f} us/flow {:8.0f} MB\n", name,
             measurement.cpu, measurement.flows, measurement.flows / measurement.cpu,
             1e6 * measurement.cpu / measurement.flows, measurement.peak_MB);
}

void run(const Grid& grid, std::int64_t micro_batches) {
  TrainConfig train;
  train.grid = grid;
  train.sequence = 2048;
  train.batch = micro_batches * grid.size(kBatchAxes);
  const Seconds begin = cpu_clock();
  const StepProgram program = record_train_step(find_gpt_config("gpt-80b"), train);
  fmt::print("gpt-80b on {}, {} micro-batches: {} recorded operations a rank, {:.2f} s\n",
             grid.to_string(), micro_batches, program.ops.size(), cpu_clock() - begin);

  const Measurement replay = in_own_process([&] { return measure_replay(program, grid); });
  const Measurement bare = in_own_process([&] { return measure_bare_flows(program, grid); });
  const Measurement per_rank = in_own_process([&] { return measure_flow_per_rank(program, grid); });
  print("replay", replay);
  print("bare flows", bare);
  print("flow per rank", per_rank);
  fmt::print(
      "simulated step {:.4f} s; {:.3g} rank-operations, {:.3g} a second; replay reaches {:.2f} of "
      "the bare flows' "
      "rate\n",
      replay.step_time, replay.operations, replay.operations / replay.cpu, bare.cpu / replay.cpu);
}

}  // namespace
}  // namespace fourfold::sim

int main(int argc, char** argv) {
  using namespace fourfold;
  const Grid grid = Grid::parse(argc > 1 ? argv[1] : "4x1x32x8");
  sim::run(grid, argc > 2 ? std::atoll(argv[2]) : 1);
  return 0;
}
