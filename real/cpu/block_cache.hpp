#pragma once
// Memory that is asked of the system once and kept: after the first step a training step causes no page faults.

#include <cstddef>
#include <memory>

#include "core/base/units.hpp"

namespace fourfold::real::cpu {

/// A piece of memory, aligned to cache lines; goes back to its cache with the last owner.
using Block = std::shared_ptr<std::byte>;

/// Blocks of a few size classes (at most a quarter larger than asked for), each class with a list of free ones.
/// For one thread; blocks may outlive the cache.
class BlockCache {
 public:
  BlockCache();

  /// At least `bytes` bytes of undefined contents. Throws std::bad_alloc when the system has no more.
  Block take(Bytes bytes);

  /// Taken from the system so far: the most that was ever in use at once, up to the rounding to classes.
  Bytes reserved() const;

 private:
  struct FreeLists;
  std::shared_ptr<FreeLists> free_;
};

}  // namespace fourfold::real::cpu
