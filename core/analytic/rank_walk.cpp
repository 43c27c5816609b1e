#include "core/analytic/rank_walk.hpp"

#include <algorithm>
#include <string>

namespace fourfold {
namespace {

constexpr auto kCompute = static_cast<std::size_t>(Stream::compute);
const std::string kPlace;  // the walk does not name places

/// How far a communication stream lags behind the compute stream.
Seconds backlog(const RankWalk::Mark& mark, std::size_t stream) {
  return std::max(0.0, mark.clocks[stream] - mark.clocks[kCompute]);
}

}  // namespace

HeldMemory::HeldMemory(MemoryAccount& account, Bytes bytes, MemoryKind kind)
    : account_(&account), bytes_(bytes), kind_(kind) {
  account.take(bytes, kind, kPlace);
}

HeldMemory& HeldMemory::operator=(HeldMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  account_ = std::exchange(other.account_, nullptr);
  bytes_ = other.bytes_;
  kind_ = other.kind_;
  return *this;
}

void HeldMemory::release() {
  if (account_ != nullptr) account_->give_back(bytes_, kind_);
  account_ = nullptr;
}

RankWalk::RankWalk(const MemoryByKind& resident) {
  for (std::size_t kind = 0; kind < resident.size(); ++kind) {
    memory_.take(resident[kind], static_cast<MemoryKind>(kind), kPlace);
  }
}

void RankWalk::compute(const KernelCost& kernel) {
  clock(Stream::compute) += kernel.time;
  totals_.kernels += kernel.time;
  totals_.flops += kernel.flops;
}

WalkedCollective RankWalk::start(Stream stream, Seconds duration) {
  WalkedCollective collective;
  collective.stream = stream;
  if (duration == 0.0) return collective;
  clock(stream) = std::max(clock(stream), clock(Stream::compute)) + duration;
  totals_.busy[static_cast<std::size_t>(stream)] += duration;
  collective.done = clock(stream);
  return collective;
}

HeldMemory RankWalk::join(WalkedCollective& collective) {
  const Seconds stall = collective.done - clock(Stream::compute);
  if (stall > 0) {
    totals_.exposed[static_cast<std::size_t>(collective.stream)] += stall;
    clock(Stream::compute) = collective.done;
  }
  collective.input.release();
  return std::move(collective.output);
}

void RankWalk::run(Stream stream, Seconds duration) {
  WalkedCollective collective = start(stream, duration);
  join(collective);
}

RankWalk::Mark RankWalk::mark() const {
  return {totals_, clocks_, repeated_, memory_.current()};
}

void RankWalk::repeat(const Mark& from, const Mark& to, std::int64_t times) {
  const double n = static_cast<double>(times);
  repeated_ += n * (to.clocks[kCompute] + to.repeated - from.clocks[kCompute] - from.repeated);
  totals_.kernels += n * (to.totals.kernels - from.totals.kernels);
  totals_.flops += n * (to.totals.flops - from.totals.flops);
  for (std::size_t stream = 0; stream < kStreamCount; ++stream) {
    totals_.busy[stream] += n * (to.totals.busy[stream] - from.totals.busy[stream]);
    totals_.exposed[stream] += n * (to.totals.exposed[stream] - from.totals.exposed[stream]);
    clocks_[stream] += n * std::max(0.0, backlog(to, stream) - backlog(from, stream));
  }
  for (std::size_t kind = 0; kind < to.memory.size(); ++kind) {
    const Bytes grown = times * (to.memory[kind] - from.memory[kind]);
    if (grown > 0) memory_.take(grown, static_cast<MemoryKind>(kind), kPlace);
    if (grown < 0) memory_.give_back(-grown, static_cast<MemoryKind>(kind));
  }
}

Seconds RankWalk::end() const {
  return repeated_ + *std::max_element(clocks_.begin(), clocks_.end());
}

}  // namespace fourfold
