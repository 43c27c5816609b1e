#include "core/program/tracer.hpp"

#include <utility>

namespace fourfold {
namespace {

/// One allocation, as the recorder and as the device see it; both are given back together.
class TracedStorage final : public Storage {
 public:
  TracedStorage(std::shared_ptr<Storage> recorded, std::shared_ptr<Storage> real)
      : Storage(recorded->id(), recorded->bytes(), recorded->kind()),
        recorded_(std::move(recorded)),
        real_(std::move(real)) {}

  std::byte* data() const override { return real_->data(); }
  const std::shared_ptr<Storage>& recorded() const { return recorded_; }
  const std::shared_ptr<Storage>& real() const { return real_; }

 private:
  std::shared_ptr<Storage> recorded_, real_;
};

Tensor with_storage(Tensor tensor, const std::shared_ptr<Storage>& storage) {
  tensor.storage = storage;
  return tensor;
}

const TracedStorage& storage_of(const Tensor& tensor) {
  return dynamic_cast<const TracedStorage&>(*tensor.storage);
}

Tensor recorded(const Tensor& tensor) {
  return tensor.defined() ? with_storage(tensor, storage_of(tensor).recorded()) : tensor;
}

Tensor real(const Tensor& tensor) {
  return tensor.defined() ? with_storage(tensor, storage_of(tensor).real()) : tensor;
}

Kernel with_operands(Kernel kernel, Tensor (*view)(const Tensor&)) {
  for (Tensor* tensor : operands(kernel)) *tensor = view(*tensor);
  return kernel;
}

Collective with_operands(Collective collective, Tensor (*view)(const Tensor&)) {
  collective.input = view(collective.input);
  collective.output = view(collective.output);
  return collective;
}

}  // namespace

Tensor Tracer::allocate(Shape shape, DType dtype, MemoryKind kind) {
  const Tensor on_recorder = recorder_.allocate(shape, dtype, kind);
  const Tensor on_device = device_.allocate(std::move(shape), dtype, kind);
  return with_storage(on_device,
                      std::make_shared<TracedStorage>(on_recorder.storage, on_device.storage));
}

void Tracer::launch(Stream stream, const Kernel& kernel) {
  recorder_.launch(stream, with_operands(kernel, recorded));
  device_.launch(stream, with_operands(kernel, real));
}

void Tracer::launch(Stream stream, const Collective& collective) {
  recorder_.launch(stream, with_operands(collective, recorded));
  communicator_.launch(stream, with_operands(collective, real));
}

Event Tracer::record(Stream stream) {
  const Event event = recorder_.record(stream);
  device_events_[event.id] = device_.record(stream);
  return event;
}

void Tracer::wait(Stream stream, Event event) {
  recorder_.wait(stream, event);
  device_.wait(stream, device_events_.at(event.id));
}

void Tracer::synchronize() {
  recorder_.synchronize();
  device_.synchronize();
}

void Tracer::upload(Stream stream, std::span<const std::byte> source, const Tensor& destination) {
  recorder_.upload(stream, source, recorded(destination));
  device_.upload(stream, source, real(destination));
}

void Tracer::download(Stream stream, const Tensor& source, std::span<std::byte> destination) {
  recorder_.download(stream, recorded(source), {});
  device_.download(stream, real(source), destination);
}

void Tracer::push_range(std::string_view name) {
  recorder_.push_range(name);
  device_.push_range(name);
}

void Tracer::pop_range() {
  recorder_.pop_range();
  device_.pop_range();
}

}  // namespace fourfold
