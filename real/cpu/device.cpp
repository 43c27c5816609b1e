#include "real/cpu/device.hpp"

#include <cstring>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include <cblas.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

/// What queued work holds.
class HeldStorage final : public Storage {
 public:
  HeldStorage(const Storage& storage, cpu::Block block)
      : Storage(storage.id(), storage.bytes(), storage.kind()), block_(std::move(block)) {}
  std::byte* data() const override { return block_.get(); }

 private:
  cpu::Block block_;
};

/// What programs hold: gives its bytes back to the account in program order.
class AccountedStorage final : public Storage {
 public:
  AccountedStorage(std::shared_ptr<MemoryAccount> account, StorageId id, Bytes bytes,
                   MemoryKind kind, cpu::Block block)
      : Storage(id, bytes, kind), account_(std::move(account)), block_(std::move(block)) {}
  ~AccountedStorage() override { account_->give_back(bytes(), kind()); }
  std::byte* data() const override { return block_.get(); }
  std::shared_ptr<Storage> held() const { return std::make_shared<HeldStorage>(*this, block_); }

 private:
  std::shared_ptr<MemoryAccount> account_;
  cpu::Block block_;
};

/// Kernels and copies on a communication stream.
class HostWork final : public AsyncWork {
 public:
  HostWork(std::function<void()> run, std::string description)
      : run_(std::move(run)), description_(std::move(description)) {}
  void start() override { run_(); }
  bool advance() override { return true; }
  std::string describe() const override { return description_; }

 private:
  std::function<void()> run_;
  std::string description_;
};

std::byte* first_byte(const Tensor& tensor) {
  return tensor.storage->data() + tensor.offset * size_of(tensor.dtype);
}

void check_bytes(std::size_t host, const Tensor& tensor) {
  if (static_cast<Bytes>(host) == tensor.bytes()) return;
  throw ShapeError(fmt::format("cannot copy between {} host bytes and a tensor of {} bytes, {}{}",
                               host, tensor.bytes(), name_of(tensor.dtype),
                               to_string(tensor.shape)));
}

Bytes available_memory() {
  return static_cast<Bytes>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
}

void run_at(const Kernel& kernel, cpu::CpuEngine engine, const std::string& place) {
  try {
    cpu::run_kernel(kernel, engine);
  } catch (const ShapeError& error) {
    throw ShapeError(fmt::format("{}: {}", place, error.what()));
  }
}

}  // namespace

CpuDevice::CpuDevice(const CpuOptions& options)
    : account_(std::make_shared<MemoryAccount>(options.memory_capacity)),
      threads_(options.threads),
      queues_(options.stall_limit) {
  cpu::check_processor();
  openblas_set_num_threads(1);  // the rank's own threads share out the work
}

Tensor CpuDevice::allocate(Shape shape, DType dtype, MemoryKind kind) {
  const Bytes bytes = element_count(shape) * size_of(dtype);
  const StorageId id = account_->take(bytes, kind, ranges_.place());
  try {
    auto storage =
        std::make_shared<AccountedStorage>(account_, id, bytes, kind, cache_.take(bytes));
    return {std::move(shape), dtype, std::move(storage), 0};
  } catch (const std::bad_alloc&) {
    account_->give_back(bytes, kind);
    throw OutOfMemory(bytes, available_memory(), ranges_.place());
  }
}

void CpuDevice::launch(Stream stream, const Kernel& kernel) {
  if (stream == Stream::compute) {
    run_at(kernel, engine(), ranges_.place());
    return queues_.advance();
  }
  Kernel copy = kernel;
  for (Tensor* tensor : operands(copy)) *tensor = held(*tensor);
  queues_.push(stream, std::make_unique<HostWork>(
                           [this, copy, place = ranges_.place()] { run_at(copy, engine(), place); },
                           fmt::format("{} in {}", name_of(kernel), ranges_.place())));
}

void CpuDevice::upload(Stream stream, std::span<const std::byte> source,
                       const Tensor& destination) {
  check_bytes(source.size(), destination);
  if (stream == Stream::compute) {
    std::memcpy(first_byte(destination), source.data(), source.size());
    return;
  }
  std::vector<std::byte> bytes(source.begin(), source.end());
  queues_.push(stream, std::make_unique<HostWork>(
                           [bytes = std::move(bytes), target = held(destination)] {
                             std::memcpy(first_byte(target), bytes.data(), bytes.size());
                           },
                           fmt::format("a copy in {}", ranges_.place())));
}

void CpuDevice::download(Stream stream, const Tensor& source, std::span<std::byte> destination) {
  check_bytes(destination.size(), source);
  queues_.drain(stream);
  std::memcpy(destination.data(), first_byte(source), destination.size());
}

Tensor CpuDevice::held(const Tensor& tensor) {
  Tensor copy = tensor;
  if (!tensor.defined()) return copy;
  if (const auto* accounted = dynamic_cast<const AccountedStorage*>(tensor.storage.get())) {
    copy.storage = accounted->held();
  }
  return copy;
}

}  // namespace fourfold::real
