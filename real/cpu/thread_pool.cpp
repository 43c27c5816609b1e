#include "real/cpu/thread_pool.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"

namespace fourfold::real::cpu {

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) {
    throw ConfigError(fmt::format("{} threads per rank; at least 1 is needed", threads));
  }
  for (int thread = 1; thread < threads; ++thread) {
    workers_.emplace_back([this, thread] { work(thread); });
  }
}

ThreadPool::~ThreadPool() {
  stopping_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

void ThreadPool::for_ranges(std::int64_t count, std::int64_t grain, const Range& body) {
  if (count == 0) return;
  const std::int64_t parts = std::min<std::int64_t>(threads(), ceil_div(count, grain));
  if (parts == 1) return body(0, count, 0);
  body_ = &body;
  count_ = count;
  parts_ = parts;
  unfinished_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  run_part(0);
  for (int left = unfinished_.load(std::memory_order_acquire); left != 0;
       left = unfinished_.load(std::memory_order_acquire)) {
    unfinished_.wait(left, std::memory_order_acquire);
  }
}

void ThreadPool::work(int thread) {
  for (std::uint32_t seen = 0;; ++seen) {
    generation_.wait(seen, std::memory_order_acquire);
    if (stopping_) return;
    run_part(thread);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  }
}

void ThreadPool::run_part(int thread) const {
  if (thread >= parts_) return;
  (*body_)(count_ * thread / parts_, count_ * (thread + 1) / parts_, thread);
}

}  // namespace fourfold::real::cpu
