#include "core/program/memory_account.hpp"

#include <numeric>

#include "core/base/error.hpp"

namespace fourfold {

Bytes total(const MemoryByKind& memory) { return std::accumulate(memory.begin(), memory.end(), Bytes{0}); }

StorageId MemoryAccount::take(Bytes bytes, MemoryKind kind, const std::string& place) {
  const Bytes used = total(current_);
  if (capacity_ > 0 && used + bytes > capacity_) throw OutOfMemory(bytes, capacity_ - used, place);
  current_[static_cast<std::size_t>(kind)] += bytes;
  if (used + bytes > peak()) {
    at_peak_ = current_;
    peak_place_ = place;
  }
  return next_id_++;
}

void MemoryAccount::give_back(Bytes bytes, MemoryKind kind) { current_[static_cast<std::size_t>(kind)] -= bytes; }

}  // namespace fourfold
