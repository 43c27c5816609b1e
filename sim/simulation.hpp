#pragma once
// Replays a step program on every rank of a grid placed on a machine. Ranks fill the machine in order: rank r is
// GPU r, so the grid's innermost axis lies inside the node.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/kernel_model.hpp"
#include "core/grid/grid.hpp"
#include "core/program/step_program.hpp"
#include "sim/disturbances.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {

/// How a ring collective is turned into SimGrid flows.
enum class RingMode {
  macro_flow,    ///< one flow per ring over all its links: the steps of a ring advance together
  step_by_step,  ///< every step of every member its own flow; slow, to check the former
};

/// Which ranks are replayed for which (engine/folding.hpp); the result is the same but for rounding.
enum class Fold {
  automatic,  ///< one for all in symmetric places
  replicas,   ///< `fold_replicas` data-parallel replicas, every rank of them
  off,        ///< every rank
};

struct SimulationOptions {
  RingMode ring_mode = RingMode::macro_flow;
  Fold fold = Fold::automatic;                   ///< always off in the step-by-step mode
  int fold_replicas = 1;
  Disturbances disturbances;                     ///< nothing goes wrong
  bool prune_links = true;                       ///< leave out links that cannot matter; off to check it
  /// Memory that the replay may take, as foreseen; if not given, what this computer has left.
  std::optional<Bytes> memory_limit;
  std::vector<int> traced_ranks = {0};           ///< ranks whose timeline is kept
  std::function<void(double fraction)> progress;  ///< called now and then with the finished fraction
};

/// Time in kernels of one kind, on a rank that nothing disturbs.
struct KernelTime {
  std::string name;
  std::int64_t count = 0;
  Seconds busy = 0;
  Flops flops = 0;
};

/// Time in collectives of one kind over one set of axes; means over all ranks.
struct CollectiveTime {
  CollectiveKind kind;
  AxisSet axes;
  std::int64_t count = 0;      ///< collectives per rank
  double bytes_per_rank = 0;   ///< sent by each rank in a ring
  Seconds busy = 0;            ///< sum of the durations, from the last member's arrival to the end
  Seconds exposed = 0;         ///< the compute stream stood still for it (including the wait for late members)
  Seconds overlapped() const { return busy > exposed ? busy - exposed : 0; }
};

struct LinkUse {
  std::string name;        ///< SimGrid's name of the link
  std::string link_class;  ///< "node port", "nic", "global"
  double bytes = 0;
  double utilisation = 0;  ///< bytes / (bandwidth x step time)
};

struct LinkClassUse {
  std::string link_class;
  std::int64_t links = 0;       ///< that carried anything
  double bytes = 0;             ///< over all links of the class
  double max_utilisation = 0;
};

/// Time in which a rank did not compute: it waited for collectives, and for slower ranks in them.
struct RankWait {
  int rank = 0;
  int ranks = 1;  ///< that waited as long, this one included
  Seconds waiting = 0;
};

/// One operation on a stream of a traced rank.
struct Interval {
  int rank = 0;
  Stream stream = Stream::compute;
  std::string name;   ///< "gemm", "all_reduce x"
  int range = 0;      ///< index into StepProgram::ranges
  Seconds begin = 0, end = 0;
};

struct SimulationResult {
  Seconds step_time = 0;
  Seconds compute_busy = 0;          ///< kernels of one rank, mean over ranks
  Seconds compute_idle = 0;          ///< mean over ranks: waiting for anything, = sum of exposed + tail
  std::vector<KernelTime> kernels;   ///< longest first
  std::vector<CollectiveTime> collectives;
  std::vector<LinkClassUse> link_classes;
  std::vector<LinkUse> busiest_links;  ///< at most ten, most utilised first
  std::vector<RankWait> longest_waits;   ///< at most five, longest first
  std::vector<Interval> timeline;      ///< of the traced ranks, by begin
  int ranks = 0, replayed_ranks = 0;   ///< of the grid; replayed for all of them
  std::int64_t rank_operations = 0;    ///< replayed kernels, collectives and event operations, over all replayed ranks
  std::int64_t flows = 0;              ///< SimGrid flows
};

/// Throws ConfigError when the grid has more ranks than the machine has GPUs, and for disturbances of ranks and links
/// that do not exist, and before it takes more memory than it may.
SimulationResult simulate(const StepProgram& program, const Grid& grid, const Machine& machine,
                          const SimulationOptions& options = {});

}  // namespace fourfold::sim
