#include "real/cpu/work_queues.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

using Clock = std::chrono::steady_clock;

/// A short wait is spent polling. A longer one offers the core to other ranks, which may outnumber the cores, and a long
/// one sleeps between polls.
void pause_after(int polls) {
  constexpr int kSpinning = 20;
  constexpr int kYielding = 300;  // about as many microseconds
  constexpr std::chrono::microseconds kNap{50};
  if (polls < kSpinning) return;
  if (polls < kYielding) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(kNap);
  }
}

}  // namespace

void WorkQueues::push(Stream stream, std::unique_ptr<AsyncWork> work) {
  queue(stream).emplace_back(Work{std::move(work)});
  if (stream == Stream::compute) return drain(stream);
  advance();
}

Event WorkQueues::record(Stream stream) {
  const Event event{next_event_++};
  if (queue(stream).empty()) return event;
  pending_.insert(event.id);
  queue(stream).emplace_back(Marker{event});
  return event;
}

void WorkQueues::wait(Stream stream, Event event) {
  if (!event.valid() || event.id >= next_event_) {
    throw ConfigError(fmt::format("stream {} waits for event {}, which was never recorded",
                                  name_of(stream), event.id));
  }
  if (done(event)) return;
  if (stream == Stream::compute) return advance_until([&] { return done(event); });
  queue(stream).emplace_back(Waiter{event});
}

void WorkQueues::drain(Stream stream) {
  advance_until([&] { return queue(stream).empty(); });
}

void WorkQueues::drain_all() {
  advance_until([&] {
    return std::all_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.empty(); });
  });
}

void WorkQueues::advance() {
  for (Queue& entries : queues_) {
    while (!entries.empty() && advance(entries.front())) {
      entries.pop_front();
      ++finished_entries_;
    }
  }
}

bool WorkQueues::advance(Entry& entry) {
  if (const Marker* marker = std::get_if<Marker>(&entry)) {
    pending_.erase(marker->event.id);
    return true;
  }
  if (const Waiter* waiter = std::get_if<Waiter>(&entry)) return done(waiter->event);
  Work& work = std::get<Work>(entry);
  if (!std::exchange(work.started, true)) work.work->start();
  return work.work->advance();
}

template <typename Condition>
void WorkQueues::advance_until(Condition condition) {
  advance();
  std::int64_t finished = finished_entries_;
  Clock::time_point last_progress = Clock::now();
  for (int polls = 0; !condition(); ++polls) {
    pause_after(polls);
    advance();
    if (std::exchange(finished, finished_entries_) != finished_entries_)
      last_progress = Clock::now();
    const std::chrono::duration<double> stalled = Clock::now() - last_progress;
    if (stalled.count() > stall_limit_) {
      throw BackendError(
          fmt::format("no progress for {} s while waiting for {}; the other members of the group "
                      "did not join: they failed, "
                      "issue other collectives, or need longer than the limit",
                      stall_limit_, describe_heads()));
    }
  }
}

std::string WorkQueues::describe_heads() const {
  std::string text;
  for (const Queue& entries : queues_) {
    if (entries.empty()) continue;
    const Work* work = std::get_if<Work>(&entries.front());
    if (work != nullptr) text += (text.empty() ? "" : ", and ") + work->work->describe();
  }
  return text.empty() ? "an event that nothing will reach" : text;
}

}  // namespace fourfold::real
