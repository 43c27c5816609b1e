#pragma once
// The streams of a rank whose compute stream is the calling thread itself: kernels run when they are launched. What
// belongs to communication streams is queued and advanced whenever the thread comes by: after every kernel, and while
// it waits. A queued collective therefore proceeds behind the kernels without a thread of its own, which on a CPU
// would take its core from them.

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <variant>

#include "core/backend/stream.hpp"
#include "core/base/units.hpp"

namespace fourfold::real {

/// An operation that takes its time.
class AsyncWork {
 public:
  AsyncWork() = default;
  virtual ~AsyncWork() = default;
  AsyncWork(const AsyncWork&) = delete;
  AsyncWork& operator=(const AsyncWork&) = delete;

  /// Called once, when everything before it on its stream is done.
  virtual void start() = 0;
  /// Advances it as far as possible without waiting; true when it is done.
  virtual bool advance() = 0;
  /// What and where, for error messages: "all_reduce ... in backward/block 3".
  virtual std::string describe() const = 0;
};

class WorkQueues {
 public:
  /// `stall_limit`: how long a wait may see no progress before it is an error.
  explicit WorkQueues(Seconds stall_limit) : stall_limit_(stall_limit) {}

  /// On the compute stream the work is done on return.
  void push(Stream stream, std::unique_ptr<AsyncWork> work);
  Event record(Stream stream);
  /// Throws ConfigError for an event that was never recorded, BackendError after the stall limit.
  void wait(Stream stream, Event event);
  void drain(Stream stream);
  void drain_all();

  /// Advances all streams without waiting.
  void advance();

 private:
  struct Marker {
    Event event;
  };
  struct Waiter {
    Event event;
  };
  struct Work {
    std::unique_ptr<AsyncWork> work;
    bool started = false;
  };
  using Entry = std::variant<Marker, Waiter, Work>;
  using Queue = std::deque<Entry>;

  Queue& queue(Stream stream) { return queues_[static_cast<std::size_t>(stream)]; }
  bool done(Event event) const { return !pending_.contains(event.id); }
  /// Advances the first entry; true when it is done.
  bool advance(Entry& entry);
  template <typename Condition>
  void advance_until(Condition condition);
  std::string describe_heads() const;

  Seconds stall_limit_;
  std::array<Queue, kStreamCount> queues_;
  std::int64_t next_event_ = 0;
  std::unordered_set<std::int64_t> pending_;  ///< events that are recorded but not reached
  std::int64_t finished_entries_ = 0;
};

}  // namespace fourfold::real
