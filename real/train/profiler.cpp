#include "real/train/profiler.hpp"

#include <chrono>

namespace fourfold::real {
namespace {

template <typename Operation>
Seconds time_of(Device& device, Operation operation) {
  const auto begin = std::chrono::steady_clock::now();
  operation();
  device.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void Profiler::begin_step() {
  device_.synchronize();
  on_ = true;
}

void Profiler::end_step() {
  on_ = false;
  ++steps_;
}

Tensor Profiler::allocate(Shape shape, DType dtype, MemoryKind kind) {
  return device_.allocate(std::move(shape), dtype, kind);
}

void Profiler::launch(Stream stream, const Kernel& kernel) {
  if (!on_) return device_.launch(stream, kernel);
  KernelProfile& profile = kernels_[std::string(name_of(kernel))];
  profile.busy += time_of(device_, [&] { device_.launch(stream, kernel); });
  profile.flops += flops(kernel);
  profile.count += 1;
}

void Profiler::launch(Stream stream, const Collective& collective) {
  if (!on_) return communicator_.launch(stream, collective);
  CollectiveProfile& profile = collectives_[{collective.kind, collective.group}];
  profile.busy += time_of(device_, [&] { communicator_.launch(stream, collective); });
  profile.sent_bytes +=
      ring_bytes_per_rank(collective.kind, full_bytes(collective), grid_.size(collective.group));
  profile.count += 1;
}

void Profiler::upload(Stream stream, std::span<const std::byte> source, const Tensor& destination) {
  device_.upload(stream, source, destination);
}

void Profiler::download(Stream stream, const Tensor& source, std::span<std::byte> destination) {
  device_.download(stream, source, destination);
}

}  // namespace fourfold::real
