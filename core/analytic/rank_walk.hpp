#pragma once
// One rank walking through its step in numbers: clocks instead of streams, byte counts instead of
// tensors. It follows CUDA's stream rules, like the simulator, but knows no other rank: a collective
// starts when this rank reaches it, and all ranks are taken to do the same at the same time.
//
// Collectives of different streams that are under way at the same time share the links, evenly: one
// that needs its links for T while another one still needs them for R delays that one by
// min(T, R), and is delayed by as much.

#include <array>
#include <deque>
#include <utility>

#include "core/analytic/comm_model.hpp"
#include "core/analytic/step_costs.hpp"
#include "core/backend/stream.hpp"
#include "core/program/memory_account.hpp"

namespace fourfold {

/// Memory that is held as long as the object lives.
class HeldMemory {
 public:
  HeldMemory() = default;
  HeldMemory(MemoryAccount& account, Bytes bytes, MemoryKind kind);
  HeldMemory(HeldMemory&& other) noexcept { *this = std::move(other); }
  HeldMemory& operator=(HeldMemory&& other) noexcept;
  ~HeldMemory() { release(); }

  void release();

 private:
  MemoryAccount* account_ = nullptr;
  Bytes bytes_ = 0;
  MemoryKind kind_ = MemoryKind::workspace;
};

/// A collective in flight, with the buffers it holds until it is joined. Those of one stream are
/// joined in the order in which they were started.
struct WalkedCollective {
  Stream stream = Stream::compute;
  bool in_flight = false;
  HeldMemory input, output;
};

/// How many times longer than modelled kernels take.
struct KernelPace {
  double slowdown = 1;            ///< always
  double beside_collectives = 1;  ///< and that again while a collective is not joined
};

/// Sums over the walk, by stream where the stream matters.
struct WalkTotals {
  Seconds kernels = 0;
  Flops flops = 0;
  std::array<Seconds, kStreamCount> busy{};     ///< collectives, as long as they take alone
  std::array<Seconds, kStreamCount> exposed{};  ///< the compute stream stood still for them
};

class RankWalk {
 public:
  /// A point in the walk, to measure what lies between two of them.
  struct Mark {
    WalkTotals totals;
    std::array<Seconds, kStreamCount> clocks{};
    Seconds repeated = 0;
    MemoryByKind memory{};
  };

  RankWalk(const MemoryByKind& resident, const KernelPace& pace);

  HeldMemory take(Bytes bytes, MemoryKind kind) { return {memory_, bytes, kind}; }
  void compute(const KernelCost& kernel);
  /// Behind everything computed so far. A group of one is no operation.
  WalkedCollective start(Stream stream, const CollectiveTime& time);
  /// Lets go of the input and hands over the output.
  HeldMemory join(WalkedCollective& collective);
  /// Starts and joins at once.
  void run(Stream stream, const CollectiveTime& time);

  Mark mark() const;
  /// As if what happened between `from` and `to` happened `times` times more.
  void repeat(const Mark& from, const Mark& to, std::int64_t times);

  /// When the last stream is done.
  Seconds end() const;
  const WalkTotals& totals() const { return totals_; }
  const MemoryAccount& memory() const { return memory_; }

 private:
  /// A collective that is not joined yet.
  struct Flow {
    Seconds begin = 0, end = 0;
    Seconds transfer = 0;
    bool across_nodes = false;
  };

  Seconds& clock(Stream stream) { return clocks_[static_cast<std::size_t>(stream)]; }
  bool any_in_flight() const;
  /// Delays the flows of another stream that share links with `flow`; returns by how much it is
  /// delayed itself.
  Seconds share_links(const Flow& flow, std::size_t other_stream);

  KernelPace pace_;
  MemoryAccount memory_;
  WalkTotals totals_;
  std::array<Seconds, kStreamCount> clocks_{};
  std::array<std::deque<Flow>, kStreamCount> flows_;  ///< by stream, oldest first
  Seconds repeated_ = 0;  ///< time in repetitions, by which all clocks are late
};

}  // namespace fourfold
