#pragma once
// THE CONTRACT, part 1: one accelerator as one rank sees it. Rules every backend obeys (one test suite checks them):
//
// 1. Operations on one stream run in issue order; streams are unordered except through events.
// 2. Nothing blocks the program but `synchronize` and `download`; no result steers control flow inside a step.
// 3. Storage outlives its last use: a Tensor may be dropped while a stream still uses it.
// 4. Memory is accounted in program order (taken at `allocate`, given back when the last Tensor drops), so the
//    accounted peak is the same number on every backend.
// 5. `allocate` throws OutOfMemory; contents of fresh memory are undefined.

#include <cstddef>
#include <span>
#include <string_view>

#include "core/backend/kernel.hpp"
#include "core/backend/stream.hpp"
#include "core/tensor/tensor.hpp"

namespace fourfold {

class Device {
 public:
  Device() = default;
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual Tensor allocate(Shape shape, DType dtype, MemoryKind kind) = 0;
  virtual void launch(Stream stream, const Kernel& kernel) = 0;
  /// Marks the work issued so far on `stream`.
  virtual Event record(Stream stream) = 0;
  /// Later work on `stream` starts after `event`.
  virtual void wait(Stream stream, Event event) = 0;
  /// Returns when all issued work is done.
  virtual void synchronize() = 0;

  /// Copies host bytes into `destination` on `stream`; `source` may be reused on return.
  virtual void upload(Stream stream, std::span<const std::byte> source, const Tensor& destination) = 0;
  /// Waits for `stream` and copies `source` to the host. Backends without data leave `destination` untouched.
  virtual void download(Stream stream, const Tensor& source, std::span<std::byte> destination) = 0;

  /// Named ranges around operations ("forward", "block 3", "attention"), for traces and error messages (as in NVTX).
  virtual void push_range(std::string_view /*name*/) {}
  virtual void pop_range() {}
};

/// Opens a range for the lifetime of the object.
class Range {
 public:
  Range(Device& device, std::string_view name) : device_(device) { device_.push_range(name); }
  ~Range() { device_.pop_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Device& device_;
};

}  // namespace fourfold
