#pragma once
// One rank on CPU cores. The compute stream is the calling thread; communication streams advance behind it, see
// work_queues.hpp. Memory comes from a cache and is accounted in program order; what a collective in flight still
// reads stays alive beyond that.

#include <memory>

#include "core/backend/device.hpp"
#include "core/program/memory_account.hpp"
#include "core/program/range_stack.hpp"
#include "real/cpu/block_cache.hpp"
#include "real/cpu/kernels.hpp"
#include "real/cpu/thread_pool.hpp"
#include "real/cpu/work_queues.hpp"

namespace fourfold::real {

struct CpuOptions {
  int threads = 1;              ///< of this rank, the calling one included
  Bytes memory_capacity = 0;    ///< accounted bytes; 0 = as much as the system has
  Seconds stall_limit = 600.0;  ///< longest wait for other ranks without any progress
};

class CpuDevice final : public Device {
 public:
  /// Throws ConfigError for senseless options, BackendError on a processor that lacks the instructions that the
  /// kernels were compiled for.
  explicit CpuDevice(const CpuOptions& options = {});

  Tensor allocate(Shape shape, DType dtype, MemoryKind kind) override;
  void launch(Stream stream, const Kernel& kernel) override;
  Event record(Stream stream) override { return queues_.record(stream); }
  void wait(Stream stream, Event event) override { queues_.wait(stream, event); }
  void synchronize() override { queues_.drain_all(); }
  void upload(Stream stream, std::span<const std::byte> source, const Tensor& destination) override;
  void download(Stream stream, const Tensor& source, std::span<std::byte> destination) override;
  void push_range(std::string_view name) override { ranges_.push(name); }
  void pop_range() override { ranges_.pop(); }

  const MemoryAccount& memory() const { return *account_; }
  /// Bytes taken from the system, scratch memory of kernels and collectives included.
  Bytes reserved_memory() const { return cache_.reserved(); }

  // For communicators.
  WorkQueues& queues() { return queues_; }
  cpu::CpuEngine engine() { return {threads_, cache_}; }
  std::string place() const { return ranges_.place(); }
  /// The tensor with a storage that keeps the bytes alive but has no part in the accounting.
  static Tensor held(const Tensor& tensor);

 private:
  cpu::BlockCache cache_;
  std::shared_ptr<MemoryAccount> account_;  // shared with the tensors, which may live longer
  RangeStack ranges_;
  cpu::ThreadPool threads_;
  WorkQueues queues_;
};

}  // namespace fourfold::real
