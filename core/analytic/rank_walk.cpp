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

RankWalk::RankWalk(const MemoryByKind& resident, const KernelPace& pace) : pace_(pace) {
  for (std::size_t kind = 0; kind < resident.size(); ++kind) {
    memory_.take(resident[kind], static_cast<MemoryKind>(kind), kPlace);
  }
}

void RankWalk::compute(const KernelCost& kernel) {
  const double beside = any_in_flight() ? pace_.beside_collectives : 1.0;
  const Seconds time = pace_.slowdown * beside * kernel.time;
  clock(Stream::compute) += time;
  totals_.kernels += time;
  totals_.flops += kernel.flops;
}

bool RankWalk::any_in_flight() const {
  return std::ranges::any_of(flows_, [](const auto& flows) { return !flows.empty(); });
}

WalkedCollective RankWalk::start(Stream stream, const CollectiveTime& time) {
  WalkedCollective collective;
  collective.stream = stream;
  if (time.total == 0.0) return collective;
  Flow flow;
  flow.begin = std::max(clock(stream), clock(Stream::compute));
  flow.end = flow.begin + time.total;
  flow.transfer = time.transfer;
  flow.across_nodes = time.across_nodes;
  const auto own = static_cast<std::size_t>(stream);
  Seconds delay = 0;
  for (std::size_t other = 0; other < kStreamCount; ++other) {
    if (other != own) delay += share_links(flow, other);
  }
  flow.end += delay;
  clock(stream) = flow.end;
  totals_.busy[own] += time.total;
  flows_[own].push_back(flow);
  collective.in_flight = true;
  return collective;
}

Seconds RankWalk::share_links(const Flow& flow, std::size_t other_stream) {
  Seconds needed = 0;  // by the other stream's flows from flow.begin on
  Seconds delay = 0;
  for (Flow& other : flows_[other_stream]) {
    if (other.end <= flow.begin) continue;
    if (other.across_nodes == flow.across_nodes) {
      needed += std::min(other.transfer, other.end - flow.begin);
    }
    if (other.begin > flow.begin) other.begin += delay;  // behind those that were delayed
    delay = std::min(needed, flow.transfer);
    other.end += delay;
  }
  clocks_[other_stream] += delay;
  return delay;
}

HeldMemory RankWalk::join(WalkedCollective& collective) {
  if (std::exchange(collective.in_flight, false)) {
    const auto stream = static_cast<std::size_t>(collective.stream);
    const Seconds stall = flows_[stream].front().end - clock(Stream::compute);
    flows_[stream].pop_front();
    if (stall > 0) {
      totals_.exposed[stream] += stall;
      clock(Stream::compute) += stall;
    }
  }
  collective.input.release();
  return std::move(collective.output);
}

void RankWalk::run(Stream stream, const CollectiveTime& time) {
  WalkedCollective collective = start(stream, time);
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
