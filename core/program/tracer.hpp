#pragma once
// A decorator that forwards every call to a real device and communicator and lets a Recorder write
// it down: what a real rank does can be compared, operation by operation and byte by byte, with
// what a simulated rank does.

#include <map>

#include "core/program/recorder.hpp"

namespace fourfold {

class Tracer final : public Device, public Communicator {
 public:
  /// All three must outlive the tracer and every tensor it allocates.
  Tracer(Recorder& recorder, Device& device, Communicator& communicator)
      : recorder_(recorder), device_(device), communicator_(communicator) {}

  Tensor allocate(Shape shape, DType dtype, MemoryKind kind) override;
  void launch(Stream stream, const Kernel& kernel) override;
  Event record(Stream stream) override;
  void wait(Stream stream, Event event) override;
  void synchronize() override;
  void upload(Stream stream, std::span<const std::byte> source, const Tensor& destination) override;
  void download(Stream stream, const Tensor& source, std::span<std::byte> destination) override;
  void push_range(std::string_view name) override;
  void pop_range() override;
  void launch(Stream stream, const Collective& collective) override;

 private:
  Recorder& recorder_;
  Device& device_;
  Communicator& communicator_;
  /// The device's event behind each recorded one: the recorder numbers anew from every begin_step.
  std::map<std::int64_t, Event> device_events_;
};

}  // namespace fourfold
