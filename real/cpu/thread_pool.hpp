#pragma once
// The threads of one rank. A kernel splits its rows into equal ranges, one a thread; the calling thread takes the first.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace fourfold::real::cpu {

class ThreadPool {
 public:
  /// `threads` counts the calling thread, so that 1 starts none. Throws ConfigError unless it is positive.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// What a thread does with [begin, end); it must not throw.
  using Range = std::function<void(std::int64_t begin, std::int64_t end, int thread)>;

  /// Covers [0, count) with ranges of at least `grain` items (but the last), and returns when all are done.
  void for_ranges(std::int64_t count, std::int64_t grain, const Range& body);

 private:
  void work(int thread);
  void run_part(int thread) const;

  // The present job: valid between a change of `generation_` and `unfinished_` reaching zero.
  const Range* body_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t parts_ = 0;
  bool stopping_ = false;
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<int> unfinished_{0};
  std::vector<std::jthread> workers_;
};

}  // namespace fourfold::real::cpu
