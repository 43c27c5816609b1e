#pragma once
// Memory in program order: every backend takes its allocations from one of these, so that the accounted peak is one
// number in all worlds.

#include <array>
#include <memory>
#include <string>

#include "core/tensor/tensor.hpp"

namespace fourfold {

using MemoryByKind = std::array<Bytes, kMemoryKindCount>;
Bytes total(const MemoryByKind& memory);

class MemoryAccount {
 public:
  /// `capacity` 0 means unlimited.
  explicit MemoryAccount(Bytes capacity = 0) : capacity_(capacity) {}

  /// Takes `bytes` and returns the number of the allocation. Throws OutOfMemory naming `place`.
  StorageId take(Bytes bytes, MemoryKind kind, const std::string& place);
  void give_back(Bytes bytes, MemoryKind kind);

  const MemoryByKind& current() const { return current_; }
  const MemoryByKind& at_peak() const { return at_peak_; }
  Bytes peak() const { return total(at_peak_); }
  /// The range ("backward/block 3/mlp") in which the peak was reached.
  const std::string& peak_place() const { return peak_place_; }

 private:
  Bytes capacity_;
  StorageId next_id_ = 0;
  MemoryByKind current_{};
  MemoryByKind at_peak_{};
  std::string peak_place_;
};

}  // namespace fourfold
