#pragma once
// The reference backend of one rank: the contract with slow, obvious arithmetic.
// Fresh memory is filled with NaN, so that a result which depends on memory nobody wrote shows
// itself.

#include <cstdint>
#include <memory>
#include <optional>

#include "core/backend/communicator.hpp"
#include "core/backend/device.hpp"
#include "core/program/memory_account.hpp"
#include "core/program/range_stack.hpp"
#include "real/reference/stream_queues.hpp"
#include "real/reference/world.hpp"

namespace fourfold::real {

struct ReferenceOptions {
  Bytes memory_capacity = 0;                    ///< of each rank; 0 = unlimited
  std::optional<std::uint64_t> shuffle_seed{};  ///< see StreamQueues
};

class ReferenceDevice final : public Device, public Communicator {
 public:
  /// To be called by the fiber of `rank` only; `world` must outlive it.
  ReferenceDevice(World& world, int rank, const ReferenceOptions& options);

  Tensor allocate(Shape shape, DType dtype, MemoryKind kind) override;
  void launch(Stream stream, const Kernel& kernel) override;
  Event record(Stream stream) override;
  void wait(Stream stream, Event event) override;
  void synchronize() override;
  void upload(Stream stream, std::span<const std::byte> source, const Tensor& destination) override;
  void download(Stream stream, const Tensor& source, std::span<std::byte> destination) override;
  void push_range(std::string_view name) override { ranges_.push(name); }
  void pop_range() override { ranges_.pop(); }
  void launch(Stream stream, const Collective& collective) override;

  const MemoryAccount& memory() const { return *account_; }

 private:
  World& world_;
  std::shared_ptr<MemoryAccount> account_;  // shared with the tensors, which may live longer
  RangeStack ranges_;
  StreamQueues queues_;
};

}  // namespace fourfold::real
