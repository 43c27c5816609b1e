#pragma once
// Ranks as fibers of one thread: each runs until it must wait for others, so there is nothing to lock, and a run is the
// same every time. Waiting costs a fraction of a microsecond instead of a switch of threads.

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace fourfold::real {

class RankFibers {
 public:
  explicit RankFibers(int count);
  ~RankFibers();

  /// Calls `program(rank)` for all ranks and returns when all have returned. The program must not throw, and ranks that
  /// sleep must be woken by others in the end.
  void run(const std::function<void(int)>& program);

  /// Called by the program of `rank`: lets others run until one of them wakes it. Not from within a catch block: all
  /// fibers share the thread's list of exceptions being handled.
  void sleep(int rank);
  /// No effect on a rank that does not sleep.
  void wake(int rank);

 private:
  struct Fiber;
  struct Scheduler;
  Fiber& of(int rank);

  std::vector<Fiber> fibers_;  ///< stay where they are
  std::unique_ptr<Scheduler> scheduler_;
  std::deque<int> ready_;  ///< ranks that may run, in order
};

}  // namespace fourfold::real
