#include "sim/engine/replay_program.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::sim {
namespace {

constexpr std::size_t index_of(Stream stream) {
  return static_cast<std::size_t>(stream);
}

/// Index of `value` in `values`, appended if it is new.
template <typename T>
int index_in(std::vector<T>& values, const T& value) {
  const auto found = std::find(values.begin(), values.end(), value);
  const auto index = static_cast<int>(found - values.begin());
  if (found == values.end()) values.push_back(value);
  return index;
}

/// First pass: where events are recorded, which streams wait for them, which streams work at all.
struct EventUse {
  std::unordered_map<std::int64_t, Stream> recorded_on;
  std::unordered_map<std::int64_t, std::uint8_t> waiting_streams;
  std::array<bool, kStreamCount> used_streams{};

  void operator()(const KernelOp& op) { used_streams[index_of(op.stream)] = true; }
  void operator()(const CollectiveOp& op) { used_streams[index_of(op.stream)] = true; }
  void operator()(const RecordOp& op) { recorded_on[op.event.id] = op.stream; }
  void operator()(const WaitOp& op) {
    waiting_streams[op.event.id] |= static_cast<std::uint8_t>(1U << index_of(op.stream));
  }
  void operator()(const AllocateOp&) {}
  void operator()(const FreeOp&) {}
  void operator()(const CopyOp&) {}
  void operator()(const SynchronizeOp&) {}
};

class Compiler {
 public:
  Compiler(const StepProgram& program, const Grid& grid, const KernelModel& kernel_model)
      : program_(program), grid_(grid), kernel_model_(kernel_model) {
    last_collective_type_.fill(-1);
  }

  ReplayProgram compile() {
    for (const Op& op : program_.ops) std::visit(events_, op.action);
    events_.used_streams[index_of(Stream::compute)] = true;
    for (const Op& op : program_.ops) {
      range_ = op.range;
      std::visit(*this, op.action);
    }
    join_streams();
    return std::move(result_);
  }

  void operator()(const KernelOp& op) {
    const double beside =
        op.stream == Stream::compute && any_in_flight() ? kernel_model_.beside_collectives() : 1.0;
    const TimedKernel kernel{name_of(op.kernel), beside * kernel_model_.time(op.kernel),
                             flops(op.kernel), range_};
    std::vector<Instruction>& stream = result_.streams[index_of(op.stream)];
    // Kernels of two streams interleave in the list, so a merged instruction must own a contiguous
    // part of it.
    const auto next = static_cast<int>(result_.kernels.size());
    const bool extends = !stream.empty() && stream.back().kind == Instruction::Kind::work &&
                         stream.back().index + stream.back().count == next;
    if (!extends) stream.push_back({.kind = Instruction::Kind::work, .index = next});
    stream.back().count += 1;
    stream.back().duration += kernel.duration;
    result_.kernels.push_back(kernel);
    result_.operations += 1;
  }

  void operator()(const CollectiveOp& op) {
    const Collective& collective = op.collective;
    const int members = grid_.size(collective.group);
    if (members == 1) return;
    const int type = index_in(result_.collective_types, {collective.kind, collective.group});
    const int communicator = index_in(result_.communicators, {op.stream, collective.group});
    const Bytes bytes = full_bytes(collective);
    const auto index = static_cast<int>(result_.collectives.size());
    result_.collectives.push_back(
        {type, communicator, bytes, ring_bytes_per_rank(collective.kind, bytes, members), range_});
    result_.streams[index_of(op.stream)].push_back(
        {.kind = Instruction::Kind::collective, .index = index});
    last_collective_type_[index_of(op.stream)] = type;
    ++issued_[index_of(op.stream)];
    result_.operations += 1;
  }

  void operator()(const RecordOp& op) {
    result_.operations += 1;
    issued_before_[op.event.id] = issued_[index_of(op.stream)];
    const auto waiting = events_.waiting_streams.find(op.event.id);
    if (waiting == events_.waiting_streams.end()) return;
    const auto own_bit = static_cast<std::uint8_t>(1U << index_of(op.stream));
    const auto others = static_cast<std::uint8_t>(waiting->second & ~own_bit);
    if (others != 0) record(op.stream, slot(op.event.id), others);
  }

  void operator()(const WaitOp& op) {
    result_.operations += 1;
    const auto recorded = events_.recorded_on.find(op.event.id);
    if (recorded == events_.recorded_on.end()) {
      throw BackendError(fmt::format(
          "stream {} waits for event {}, which the step never records; record events in the "
          "step that waits for them",
          name_of(op.stream), op.event.id));
    }
    if (recorded->second == op.stream) return;
    wait(op.stream, slot(op.event.id));
    if (op.stream == Stream::compute) {
      int& joined = joined_[index_of(recorded->second)];
      joined = std::max(joined, issued_before_[op.event.id]);
    }
  }

  void operator()(const SynchronizeOp&) {
    join_streams();
    joined_ = issued_;
  }
  void operator()(const AllocateOp&) {}
  void operator()(const FreeOp&) {}
  void operator()(const CopyOp&) {}

 private:
  /// Whether kernels that come next run beside collectives.
  bool any_in_flight() const { return joined_ != issued_; }

  int slot(std::int64_t event_id) {
    const auto [entry, added] =
        slots_.try_emplace(event_id, static_cast<int>(result_.event_ids.size()));
    if (added) add_slot(event_id);
    return entry->second;
  }

  int add_slot(std::int64_t event_id) {
    result_.event_ids.push_back(event_id);
    collective_type_before_.push_back(-1);
    return static_cast<int>(result_.event_ids.size()) - 1;
  }

  void record(Stream stream, int event, std::uint8_t woken_streams) {
    collective_type_before_[static_cast<std::size_t>(event)] =
        last_collective_type_[index_of(stream)];
    result_.streams[index_of(stream)].push_back(
        {.kind = Instruction::Kind::record, .woken_streams = woken_streams, .index = event});
  }

  void wait(Stream stream, int event) {
    result_.streams[index_of(stream)].push_back(
        {.kind = Instruction::Kind::wait,
         .index = event,
         .collective_type = collective_type_before_[static_cast<std::size_t>(event)]});
  }

  void join_streams() {
    std::uint8_t others = 0;
    for (Stream stream : kAllStreams) {
      if (stream == Stream::compute || !events_.used_streams[index_of(stream)]) continue;
      const int event = add_slot(kJoin);
      record(stream, event, 1U << index_of(Stream::compute));
      wait(Stream::compute, event);
      others |= static_cast<std::uint8_t>(1U << index_of(stream));
    }
    if (others == 0) return;
    const int joined = add_slot(kJoin);
    record(Stream::compute, joined, others);
    for (Stream stream : kAllStreams) {
      if ((others >> index_of(stream) & 1U) != 0) wait(stream, joined);
    }
  }

  const StepProgram& program_;
  const Grid& grid_;
  const KernelModel& kernel_model_;
  ReplayProgram result_;
  EventUse events_;
  std::unordered_map<std::int64_t, int> slots_;
  std::vector<int>
      collective_type_before_;  // by event: the last collective on its stream when it was recorded
  std::array<int, kStreamCount> last_collective_type_{};
  // By stream: collectives issued so far, and those of them that the compute stream has waited for; by event: how many
  // its stream had issued when it was recorded.
  std::array<int, kStreamCount> issued_{}, joined_{};
  std::unordered_map<std::int64_t, int> issued_before_;
  int range_ = 0;
};

}  // namespace

ReplayProgram compile(const StepProgram& program, const Grid& grid,
                      const KernelModel& kernel_model) {
  return Compiler(program, grid, kernel_model).compile();
}

}  // namespace fourfold::sim
