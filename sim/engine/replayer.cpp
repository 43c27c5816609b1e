#include "sim/engine/replayer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"

namespace fourfold::sim {
namespace {

constexpr Seconds kNotRecorded = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kProgressReports = 200;

}  // namespace

Replayer::Replayer(const ReplayProgram& program, const Folding& folding, const WorkPace& pace,
                   const CollectiveModel& collective_model, Network& network, Ledger& ledger)
    : program_(program),
      folding_(folding),
      pace_(pace),
      communicators_(folding.communicators),
      collective_model_(collective_model),
      network_(network),
      ledger_(ledger),
      origin_(network.now()),
      streams_(folding.ranks_in_class.size() * kStreamCount),
      event_times_(folding.ranks_in_class.size() * program.event_ids.size(), kNotRecorded) {
  std::vector<std::int64_t> rings_of(program.communicators.size(), 0);
  for (std::size_t i = 0; i < communicators_.rings.size(); ++i) {
    rings_.push_back({.missing = static_cast<int>(communicators_.rings[i].members.size())});
    rings_of[static_cast<std::size_t>(communicators_.communicator_of_ring[i])] += 1;
  }
  for (const ProgramCollective& collective : program.collectives) {
    collectives_total_ += rings_of[static_cast<std::size_t>(collective.communicator)];
  }
}

Seconds Replayer::run(RingTransport& transport, const std::function<void(double)>& progress) {
  transport_ = &transport;
  progress_ = progress;
  for (StreamState& stream : streams_) stream.clock = origin_;
  for (int rank = 0; rank < folding_.classes(); ++rank) advance(rank, (1U << kStreamCount) - 1U);
  network_.run();
  check_finished();
  return end_of_step();
}

void Replayer::advance(int rank, unsigned streams) {
  while (streams != 0) {
    const auto stream = static_cast<std::size_t>(std::countr_zero(streams));
    streams &= streams - 1;
    streams |= advance_stream(rank, stream);
  }
}

unsigned Replayer::advance_stream(int rank, std::size_t stream) {
  const std::vector<Instruction>& instructions = program_.streams[stream];
  StreamState& own = state(rank, stream);
  if (own.in_collective) return 0;
  unsigned woken = 0;
  for (; own.position < instructions.size(); ++own.position) {
    const Instruction& instruction = instructions[own.position];
    switch (instruction.kind) {
      case Instruction::Kind::work:
        do_work(rank, stream, instruction);
        break;
      case Instruction::Kind::record:
        event_time(rank, instruction.index) = own.clock;
        woken |= instruction.woken_streams;
        break;
      case Instruction::Kind::wait:
        if (!pass_wait(rank, stream, instruction)) return woken;
        break;
      case Instruction::Kind::collective:
        arrive(rank, stream, instruction.index);
        return woken;
    }
  }
  return woken;
}

void Replayer::do_work(int rank, std::size_t stream, const Instruction& work) {
  StreamState& own = state(rank, stream);
  const double stretch = pace_.stretch(rank, work);
  if (ledger_.traces(rank)) {
    ledger_.trace_kernels(rank, kAllStreams[stream], work, stretch, own.clock - origin_);
  }
  const Seconds duration = work.duration * stretch;
  if (kAllStreams[stream] == Stream::compute) ledger_.add_work(rank, duration);
  own.clock += duration;
}

bool Replayer::pass_wait(int rank, std::size_t stream, const Instruction& wait) {
  const Seconds recorded = event_time(rank, wait.index);
  if (std::isnan(recorded)) return false;
  StreamState& own = state(rank, stream);
  if (recorded <= own.clock) return true;
  if (kAllStreams[stream] == Stream::compute)
    ledger_.add_stall(rank, wait.collective_type, recorded - own.clock);
  own.clock = recorded;
  return true;
}

void Replayer::arrive(int rank, std::size_t stream, int collective_index) {
  const auto communicator = static_cast<std::size_t>(collective(collective_index).communicator);
  const int ring = communicators_.ring_of_rank[communicator][static_cast<std::size_t>(rank)];
  StreamState& own = state(rank, stream);
  own.in_collective = true;
  RingState& group = rings_[static_cast<std::size_t>(ring)];
  group.collective = collective_index;
  group.start = std::max(group.start, own.clock);
  if (--group.missing == 0) network_.at(group.start, [this, ring] { begin(ring); });
}

void Replayer::begin(int ring) {
  const ProgramCollective& started = collective(rings_[static_cast<std::size_t>(ring)].collective);
  const CollectiveKind kind =
      program_.collective_types[static_cast<std::size_t>(started.type)].kind;
  const Ring& layout = communicators_.rings[static_cast<std::size_t>(ring)];
  RingTransfer transfer;
  transfer.bytes = started.ring_bytes;
  transfer.steps = ring_step_count(kind, layout.placement.ranks);
  transfer.cost = collective_model_.cost(kind, started.full_bytes, layout.placement);
  // A library's hop cannot be faster than the wires.
  transfer.cost.latency = std::max(transfer.cost.latency, transfer.cost.hops * layout.hop_latency);
  transport_->start(ring, transfer);
}

void Replayer::collective_done(int ring, Seconds end) {
  RingState& group = rings_[static_cast<std::size_t>(ring)];
  const ProgramCollective& finished = collective(group.collective);
  const Seconds start = group.start;
  const std::vector<int>& members = communicators_.rings[static_cast<std::size_t>(ring)].members;
  const Stream stream =
      program_.communicators[static_cast<std::size_t>(finished.communicator)].stream;
  const auto stream_index = static_cast<std::size_t>(stream);
  ledger_.add_collective(finished.type, ring, end - start);
  // Members arrive at their next collective while this loop still releases the others.
  group.missing = static_cast<int>(members.size());
  for (int rank : members) {
    if (ledger_.traces(rank))
      ledger_.trace_collective(rank, finished, start - origin_, end - origin_);
    StreamState& own = state(rank, stream_index);
    own.clock = end;
    own.position += 1;
    own.in_collective = false;
    advance(rank, 1U << stream_index);
  }
  report_progress();
}

void Replayer::report_progress() {
  collectives_done_ += 1;
  const std::int64_t interval = std::max<std::int64_t>(1, collectives_total_ / kProgressReports);
  if (!progress_ || (collectives_done_ % interval != 0 && collectives_done_ != collectives_total_))
    return;
  progress_(static_cast<double>(collectives_done_) / static_cast<double>(collectives_total_));
}

Seconds Replayer::end_of_step() const {
  Seconds end = origin_;
  for (const StreamState& stream : streams_) end = std::max(end, stream.clock);
  return end - origin_;
}

void Replayer::check_finished() {
  constexpr std::size_t kNamedRanks = 4;
  std::vector<std::string> blocked;
  for (int rank = 0; rank < folding_.classes() && blocked.size() < kNamedRanks; ++rank) {
    std::string description = describe_blocked(rank);
    if (!description.empty()) blocked.push_back(std::move(description));
  }
  if (blocked.empty()) return;
  throw BackendError(fmt::format(
      "deadlock: ranks wait for each other after {} of {} collectives; {}{}. All members "
      "of a group must issue its collectives in the same order, and an event must be "
      "recorded before it is waited for",
      collectives_done_, collectives_total_, fmt::join(blocked, "; "),
      blocked.size() == kNamedRanks ? "; ..." : ""));
}

/// "rank 3: compute waits for event 7, comm_x waits in all_reduce x for rank 2", or nothing for a
/// finished rank.
std::string Replayer::describe_blocked(int rank) {
  std::vector<std::string> reasons;
  for (std::size_t stream = 0; stream < kStreamCount; ++stream) {
    const StreamState& own = state(rank, stream);
    if (own.position == program_.streams[stream].size()) continue;
    const Instruction& instruction = program_.streams[stream][own.position];
    const std::string_view name = name_of(kAllStreams[stream]);
    if (instruction.kind == Instruction::Kind::collective) {
      reasons.push_back(fmt::format("{} waits in {}", name,
                                    describe_blocked_collective(rank, instruction.index)));
    } else if (program_.event_ids[static_cast<std::size_t>(instruction.index)] != kJoin) {
      reasons.push_back(
          fmt::format("{} waits for event {}", name,
                      program_.event_ids[static_cast<std::size_t>(instruction.index)]));
    }
  }
  const int named = folding_.representative[static_cast<std::size_t>(rank)];
  return reasons.empty() ? "" : fmt::format("rank {}: {}", named, fmt::join(reasons, ", "));
}

std::string Replayer::describe_blocked_collective(int rank, int collective_index) {
  const ProgramCollective& waiting = collective(collective_index);
  const auto communicator = static_cast<std::size_t>(waiting.communicator);
  const auto stream = static_cast<std::size_t>(program_.communicators[communicator].stream);
  const int ring = communicators_.ring_of_rank[communicator][static_cast<std::size_t>(rank)];
  std::vector<int> missing;
  for (int member : communicators_.rings[static_cast<std::size_t>(ring)].members) {
    if (state(member, stream).in_collective) continue;
    missing.push_back(folding_.representative[static_cast<std::size_t>(member)]);
  }
  const CollectiveType& type = program_.collective_types[static_cast<std::size_t>(waiting.type)];
  return fmt::format("{} {} for ranks {}", name_of(type.kind), name_of(type.axes),
                     fmt::join(missing, ", "));
}

}  // namespace fourfold::sim
