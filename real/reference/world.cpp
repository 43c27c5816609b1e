#include "real/reference/world.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "real/reference/collectives.hpp"

namespace fourfold::real {

World::World(const Grid& grid, RankFibers& fibers)
    : grid_(grid), fibers_(fibers), ranks_(static_cast<std::size_t>(grid.world_size())) {}

std::shared_ptr<Meeting> World::join(int rank, Stream stream, const Collective& collective,
                                     const std::string& place) {
  const ProcessGroup group = grid_.group(rank, collective.group);
  const Issued issued{rank, describe(collective), place};
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
  run_collective(meeting->collectives);
  meeting->collectives.clear();
  complete(*meeting);
  return meeting;
}

void World::complete(Meeting& meeting) {
  meeting.done = true;
  for (int member : meeting.group.ranks) {
    Rank& rank = of(member);
    ++rank.meetings_done;
    if (rank.state == State::waiting) rank.state = State::running;
    fibers_.wake(member);
  }
}

void World::wait_for_meeting(int rank, std::int64_t seen) {
  if (meetings_done(rank) == seen) {
    of(rank).state = State::waiting;
    check_progress();
    fibers_.sleep(rank);
  }
  check_failed();
}

void World::end(int rank) {
  of(rank).state = State::ended;
  check_progress();
}

void World::fail(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
  for (int rank = 0; rank < grid_.world_size(); ++rank) fibers_.wake(rank);
}

void World::check_failed() const {
  if (failure_) throw BackendError("stopped because another rank has failed");
}

void World::check_progress() const {
  const auto count = [&](State state) { return std::ranges::count(ranks_, state, &Rank::state); };
  if (failure_ || count(State::running) > 0 || count(State::waiting) == 0) return;
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
