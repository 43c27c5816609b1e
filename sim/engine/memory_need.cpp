#include "sim/engine/memory_need.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"

namespace fourfold::sim {
namespace {

constexpr Bytes kLayoutPerMember = 200;  // hops and links of one member of one ring
constexpr Bytes kReplayPerMember = 300;  // the same in SimGrid's routes, and in flight
constexpr Bytes kReplayPerRing = 2000;   // a flow in flight, a collective in progress
constexpr Bytes kStreamsPerRank = 96;
constexpr Bytes kEventPerRank = 8;

std::string megabytes(Bytes bytes) {
  return fmt::format("{:.3g} MB", static_cast<double>(bytes) / kMega);
}

}  // namespace

MemoryNeed memory_need(const ReplayProgram& program, const Grid& grid) {
  const auto events = static_cast<Bytes>(program.event_ids.size());
  MemoryNeed need;
  need.per_replayed_rank = kStreamsPerRank + kEventPerRank * events;
  for (const CommunicatorKey& communicator : program.communicators) {
    need.layout += kLayoutPerMember * grid.world_size();
    need.per_replayed_rank +=
        kReplayPerMember + ceil_div(kReplayPerRing, Bytes{grid.size(communicator.axes)});
  }
  return need;
}

void check_memory(const MemoryNeed& need, int replayed_ranks, bool may_fold, Bytes limit) {
  if (need.of(replayed_ranks) <= limit) return;
  const bool folding_helps = may_fold && need.of(1) <= limit;
  throw ConfigError(fmt::format(
      "replaying {} rank{} needs about {} more of this computer's memory, of which {} may be "
      "used; {}choose a smaller grid, or raise --memory-limit",
      replayed_ranks, replayed_ranks == 1 ? "" : "s", megabytes(need.of(replayed_ranks)),
      megabytes(limit),
      folding_helps ? fmt::format("--fold auto needs about {} where all ranks lie symmetrically; ",
                                  megabytes(need.of(1)))
                    : ""));
}

}  // namespace fourfold::sim
