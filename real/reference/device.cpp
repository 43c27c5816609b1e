#include "real/reference/device.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/base/collective_rules.hpp"
#include "real/reference/kernels.hpp"

namespace fourfold::real {
namespace {

/// All bits set: NaN in every floating-point type, -1 in int32.
constexpr std::byte kPoison{0xff};

using Buffer = std::vector<std::byte>;

/// What queued operations hold: the bytes, but no part in the accounting.
class HeldStorage final : public Storage {
 public:
  HeldStorage(StorageId id, Bytes bytes, MemoryKind kind)
      : Storage(id, bytes, kind), buffer_(static_cast<std::size_t>(bytes), kPoison) {}
  std::byte* data() const override { return buffer_.data(); }

 private:
  mutable Buffer buffer_;
};

/// What programs hold: gives its bytes back to the account in program order.
class AccountedStorage final : public Storage {
 public:
  AccountedStorage(std::shared_ptr<MemoryAccount> account, StorageId id, Bytes bytes,
                   MemoryKind kind)
      : Storage(id, bytes, kind),
        account_(std::move(account)),
        held_(std::make_shared<HeldStorage>(id, bytes, kind)) {}
  ~AccountedStorage() override { account_->give_back(bytes(), kind()); }
  std::byte* data() const override { return held_->data(); }
  const std::shared_ptr<Storage>& held() const { return held_; }

 private:
  std::shared_ptr<MemoryAccount> account_;
  std::shared_ptr<Storage> held_;
};

Tensor held(const Tensor& tensor) {
  Tensor copy = tensor;
  if (tensor.defined())
    copy.storage = dynamic_cast<const AccountedStorage&>(*tensor.storage).held();
  return copy;
}

std::byte* first_byte(const Tensor& tensor) {
  return tensor.storage->data() + tensor.offset * size_of(tensor.dtype);
}

void check_bytes(std::size_t host, const Tensor& tensor) {
  if (static_cast<Bytes>(host) == tensor.bytes()) return;
  throw ShapeError(fmt::format("cannot copy between {} host bytes and a tensor of {} bytes, {}{}",
                               host, tensor.bytes(), name_of(tensor.dtype),
                               to_string(tensor.shape)));
}

/// `place` gives the range of the program, for error messages.
template <typename Place>
void run_at(const Kernel& kernel, Place place) {
  try {
    run_kernel(kernel);
  } catch (const ShapeError& error) {
    throw ShapeError(fmt::format("{}: {}", place(), error.what()));
  }
}

}  // namespace

ReferenceDevice::ReferenceDevice(World& world, int rank, const ReferenceOptions& options)
    : world_(world),
      account_(std::make_shared<MemoryAccount>(options.memory_capacity)),
      queues_(world, rank, options.shuffle_seed) {}

Tensor ReferenceDevice::allocate(Shape shape, DType dtype, MemoryKind kind) {
  const Bytes bytes = element_count(shape) * size_of(dtype);
  const StorageId id = account_->take(bytes, kind, ranges_.place());
  return {std::move(shape), dtype, std::make_shared<AccountedStorage>(account_, id, bytes, kind),
          0};
}

void ReferenceDevice::launch(Stream stream, const Kernel& kernel) {
  if (queues_.would_run_at_once(stream)) return run_at(kernel, [&] { return ranges_.place(); });
  Kernel copy = kernel;
  for (Tensor* tensor : operands(copy)) *tensor = held(*tensor);
  queues_.push_work(stream, [copy = std::move(copy), place = ranges_.place()] {
    run_at(copy, [&] { return place; });
  });
}

void ReferenceDevice::launch(Stream stream, const Collective& collective) {
  check_operands(collective, world_.grid().size(collective.group));
  Collective copy = collective;
  copy.input = held(collective.input);
  copy.output = held(collective.output);
  queues_.push_collective(stream, copy, ranges_.place());
}

Event ReferenceDevice::record(Stream stream) {
  return queues_.push_record(stream);
}

void ReferenceDevice::wait(Stream stream, Event event) {
  queues_.push_wait(stream, event);
}

void ReferenceDevice::synchronize() {
  queues_.drain_all();
}

void ReferenceDevice::upload(Stream stream, std::span<const std::byte> source,
                             const Tensor& destination) {
  check_bytes(source.size(), destination);
  Buffer bytes(source.begin(), source.end());
  queues_.push_work(stream, [bytes = std::move(bytes), target = held(destination)] {
    std::memcpy(first_byte(target), bytes.data(), bytes.size());
  });
}

void ReferenceDevice::download(Stream stream, const Tensor& source,
                               std::span<std::byte> destination) {
  check_bytes(destination.size(), source);
  queues_.drain(stream);
  std::memcpy(destination.data(), first_byte(source), destination.size());
}

}  // namespace fourfold::real
