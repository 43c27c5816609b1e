#include "real/reference/stream_queues.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {

StreamQueues::StreamQueues(World& world, int rank, std::optional<std::uint64_t> shuffle_seed)
    : world_(world), rank_(rank) {
  if (!shuffle_seed) return;
  random_.emplace(*shuffle_seed + static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15U);
  std::ranges::shuffle(priority_, *random_);
}

void StreamQueues::push_work(Stream stream, std::function<void()> work) {
  push(stream, std::move(work));
}

void StreamQueues::push_collective(Stream stream, const Collective& collective, std::string place) {
  push(stream, Joining{collective, std::move(place), nullptr});
}

Event StreamQueues::push_record(Stream stream) {
  const Event event{static_cast<std::int64_t>(events_done_.size())};
  events_done_.push_back(false);
  push(stream, Record{event});
  return event;
}

void StreamQueues::push_wait(Stream stream, Event event) {
  if (event.id < 0 || event.id >= static_cast<std::int64_t>(events_done_.size())) {
    throw BackendError(fmt::format("stream {} waits for event {}, which was never recorded",
                                   name_of(stream), event.id));
  }
  push(stream, Wait{event});
}

void StreamQueues::push(Stream stream, Operation operation) {
  world_.check_failed();
  queue(stream).push_back(std::move(operation));
  if (random_) return;
  while (advance_one()) {
  }
}

void StreamQueues::drain(Stream stream) {
  while (!queue(stream).empty()) {
    world_.check_failed();
    const std::int64_t seen = world_.meetings_done(rank_);
    if (!advance_one()) world_.wait_for_meeting(rank_, seen);
  }
}

void StreamQueues::drain_all() {
  for (Stream stream : kAllStreams) drain(stream);
}

bool StreamQueues::advance_one() {
  shuffle_sometimes();
  return std::ranges::any_of(priority_, [&](Stream stream) { return advance(stream); });
}

bool StreamQueues::advance(Stream stream) {
  if (queue(stream).empty()) return false;
  Operation& head = queue(stream).front();
  if (auto* wait = std::get_if<Wait>(&head)) {
    if (!events_done_[static_cast<std::size_t>(wait->event.id)]) return false;
  } else if (auto* joining = std::get_if<Joining>(&head)) {
    if (!joining->meeting) {
      joining->meeting = world_.join(rank_, stream, joining->collective, joining->place);
      return true;
    }
    if (!joining->meeting->done) return false;
  } else if (auto* record = std::get_if<Record>(&head)) {
    events_done_[static_cast<std::size_t>(record->event.id)] = true;
  } else {
    std::get<Work>(head)();
  }
  queue(stream).pop_front();
  return true;
}

void StreamQueues::shuffle_sometimes() {
  // Not every time: a favoured stream shall run far ahead of the others.
  constexpr int kMeanRun = 12;
  if (random_ && (*random_)() % kMeanRun == 0) std::ranges::shuffle(priority_, *random_);
}

}  // namespace fourfold::real
