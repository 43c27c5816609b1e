#include "real/reference/world.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "real/reference/collectives.hpp"

namespace fourfold::real {

World::World(const Grid& grid) : grid_(grid), ranks_(static_cast<std::size_t>(grid.world_size())) {}

std::shared_ptr<Meeting> World::join(int rank, Stream stream, const Collective& collective,
                                     const std::string& place) {
  const ProcessGroup group = grid_.group(rank, collective.group);
  const Issued issued{rank, describe(collective), place};
  std::unique_lock lock(mutex_);
  const auto [entry, first] = open_.try_emplace({stream, collective.group, group.ranks.front()});
  if (first) {
    entry->second = std::make_shared<Meeting>(group);
    entry->second->first = issued;
  }
  const std::shared_ptr<Meeting> meeting = entry->second;
  if (issued.what != meeting->first.what) throw_mismatch(meeting->first, issued);
  meeting->collectives[static_cast<std::size_t>(group.index)] = collective;
  meeting->arrived.push_back(rank);
  if (static_cast<int>(meeting->arrived.size()) < group.size()) return meeting;

  open_.erase(entry);
  lock.unlock();  // the others wait for `done`, so nobody else touches the operands
  run_collective(meeting->collectives);
  meeting->collectives.clear();
  lock.lock();
  complete(*meeting);
  return meeting;
}

void World::complete(Meeting& meeting) {
  meeting.done = true;
  for (int member : meeting.group.ranks) {
    Rank& rank = of(member);
    ++rank.meetings_done;
    if (rank.state == State::waiting) rank.state = State::running;
    rank.wake.notify_one();
  }
}

void World::wait_for_meeting(int rank, std::int64_t seen) {
  Rank& self = of(rank);
  std::unique_lock lock(mutex_);
  if (self.meetings_done == seen) {
    self.state = State::waiting;
    check_progress();
    self.wake.wait(lock, [&] { return failed_ || self.meetings_done != seen; });
  }
  check_failed();
}

void World::end(int rank) {
  const std::lock_guard lock(mutex_);
  of(rank).state = State::ended;
  check_progress();
}

void World::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failed_) failure_ = std::move(failure);
  failed_ = true;
  for (Rank& rank : ranks_) rank.wake.notify_one();
}

void World::check_failed() const {
  if (failed_) throw BackendError("stopped because another rank has failed");
}

void World::check_progress() const {
  const auto count = [&](State state) { return std::ranges::count(ranks_, state, &Rank::state); };
  if (failed_ || count(State::running) > 0 || count(State::waiting) == 0) return;
  throw BackendError("collectives do not match, every rank waits or has ended: " + open_meetings());
}

std::string World::open_meetings() const {
  std::vector<std::string> meetings;
  for (const auto& [key, meeting] : open_) {
    std::vector<int> missing;
    for (int rank : meeting->group.ranks) {
      if (std::ranges::find(meeting->arrived, rank) == meeting->arrived.end())
        missing.push_back(rank);
    }
    meetings.push_back(fmt::format("in {} on {} ({}) rank {} waits for rank {}",
                                   meeting->first.what, name_of(std::get<Stream>(key)),
                                   meeting->first.place, fmt::join(meeting->arrived, ", "),
                                   fmt::join(missing, ", ")));
  }
  return fmt::format("{}", fmt::join(meetings, "; "));
}

}  // namespace fourfold::real
