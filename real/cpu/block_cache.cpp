#include "real/cpu/block_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include <sys/mman.h>

#include "core/base/math.hpp"

namespace fourfold::real::cpu {
namespace {

constexpr Bytes kCacheLine = 64;
constexpr Bytes kHugePage = 2 << 20;
constexpr Bytes kSmallestClass = 256;

/// Classes are 4, 5, 6 and 7 times a power of two.
Bytes size_class(Bytes bytes) {
  const Bytes size = std::max(bytes, kSmallestClass);
  const auto power = std::bit_floor(static_cast<std::uint64_t>(size));
  const Bytes step = static_cast<Bytes>(power / 4);
  return ceil_div(size, step) * step;
}

std::byte* allocate(Bytes bytes) {
  const bool large = bytes >= 2 * kHugePage;
  const Bytes alignment = large ? kHugePage : kCacheLine;
  const auto size = static_cast<std::size_t>(ceil_div(bytes, alignment) * alignment);
  void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment), size);
  if (memory == nullptr) throw std::bad_alloc();
  if (large) madvise(memory, size, MADV_HUGEPAGE);  // a hint: refusal only costs speed
  return static_cast<std::byte*>(memory);
}

}  // namespace

struct BlockCache::FreeLists {
  ~FreeLists() {
    for (auto& [size, blocks] : by_size) std::for_each(blocks.begin(), blocks.end(), std::free);
  }

  std::map<Bytes, std::vector<std::byte*>> by_size;
  Bytes reserved = 0;
};

BlockCache::BlockCache() : free_(std::make_shared<FreeLists>()) {}

Block BlockCache::take(Bytes bytes) {
  const Bytes size = size_class(bytes);
  std::vector<std::byte*>& blocks = free_->by_size[size];
  if (blocks.empty()) {
    blocks.push_back(allocate(size));
    free_->reserved += size;
  }
  std::byte* memory = blocks.back();
  blocks.pop_back();
  return {memory,
          [lists = free_, size](std::byte* block) { lists->by_size[size].push_back(block); }};
}

Bytes BlockCache::reserved() const {
  return free_->reserved;
}

}  // namespace fourfold::real::cpu
