#include "sim/engine/ledger.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::sim {

Ledger::Ledger(const ReplayProgram& program, const Folding& folding, const std::vector<int>& traced_ranks)
    : program_(program),
      folding_(folding),
      traced_(folding.ranks_in_class.size()),
      work_(folding.ranks_in_class.size(), 0.0),
      exposed_(program.collective_types.size(), 0.0),
      busy_(program.collective_types.size(), 0.0) {
  const auto world_size = static_cast<int>(folding.class_of_rank.size());
  for (int rank : traced_ranks) {
    if (rank < 0 || rank >= world_size) {
      throw ConfigError(
          fmt::format("cannot trace rank {}: the grid has ranks 0 to {}", rank, world_size - 1));
    }
    const int replayed = folding.class_of_rank[static_cast<std::size_t>(rank)];
    traced_[static_cast<std::size_t>(replayed)].push_back(rank);
  }
}

void Ledger::add_stall(int rank, int collective_type, Seconds duration) {
  if (collective_type < 0) return;
  exposed_[static_cast<std::size_t>(collective_type)] +=
      folding_.ranks_in_class[static_cast<std::size_t>(rank)] * duration;
}

void Ledger::add_collective(int collective_type, int ring, Seconds duration) {
  busy_[static_cast<std::size_t>(collective_type)] +=
      folding_.members_in_ring_class[static_cast<std::size_t>(ring)] * duration;
}

void Ledger::trace_kernels(int rank, Stream stream, const Instruction& work, double stretch,
                           Seconds begin) {
  for (int k = work.index; k < work.index + work.count; ++k) {
    const TimedKernel& kernel = program_.kernels[static_cast<std::size_t>(k)];
    const Seconds end = begin + kernel.duration * stretch;
    for (int traced : traced_[static_cast<std::size_t>(rank)]) {
      timeline_.push_back({traced, stream, std::string(kernel.name), kernel.range, begin, end});
    }
    begin = end;
  }
}

void Ledger::trace_collective(int rank, const ProgramCollective& collective, Seconds begin,
                              Seconds end) {
  const CollectiveType& type = program_.collective_types[static_cast<std::size_t>(collective.type)];
  const Stream stream =
      program_.communicators[static_cast<std::size_t>(collective.communicator)].stream;
  for (int traced : traced_[static_cast<std::size_t>(rank)]) {
    timeline_.push_back({traced, stream, fmt::format("{} {}", name_of(type.kind), name_of(type.axes)),
                         collective.range, begin, end});
  }
}

Seconds Ledger::mean_work() const {
  Seconds sum = 0;
  for (std::size_t i = 0; i < work_.size(); ++i) sum += folding_.ranks_in_class[i] * work_[i];
  return sum / static_cast<double>(folding_.class_of_rank.size());
}

std::vector<RankWait> Ledger::longest_waits(Seconds step_time) const {
  constexpr std::size_t kMost = 5;
  std::vector<RankWait> waits;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    waits.push_back({folding_.representative[i], folding_.ranks_in_class[i], step_time - work_[i]});
  }
  std::stable_sort(waits.begin(), waits.end(), [](const RankWait& a, const RankWait& b) {
    return a.waiting > b.waiting;
  });
  if (waits.size() > kMost) waits.resize(kMost);
  return waits;
}

std::vector<Interval> Ledger::take_timeline() {
  std::stable_sort(timeline_.begin(), timeline_.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.begin, a.rank, a.stream) < std::tie(b.begin, b.rank, b.stream);
  });
  return std::exchange(timeline_, {});
}

}  // namespace fourfold::sim
