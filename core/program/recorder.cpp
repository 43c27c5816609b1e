#include "core/program/recorder.hpp"

#include <utility>

#include "core/program/range_stack.hpp"

namespace fourfold {

struct Recorder::State {
  explicit State(Bytes capacity) : account(capacity) {}

  StepProgram program;
  MemoryAccount account;
  std::int64_t next_event = 0;
  RangeStack range_stack;
  std::map<std::string, int> range_index;
  std::map<StorageId, std::shared_ptr<Storage>> stubs;

  int current_range() {
    const std::string name = range_stack.name();
    const auto [entry, added] = range_index.try_emplace(name, static_cast<int>(program.ranges.size()));
    if (added) program.ranges.push_back(name);
    return entry->second;
  }
};

class Recorder::RecordedStorage final : public Storage {
 public:
  RecordedStorage(std::shared_ptr<State> state, StorageId id, Bytes bytes, MemoryKind kind)
      : Storage(id, bytes, kind), state_(std::move(state)) {}
  ~RecordedStorage() override {
    state_->account.give_back(bytes(), kind());
    state_->stubs.erase(id());
    state_->program.ops.push_back({FreeOp{id()}, state_->current_range()});
  }

 private:
  std::shared_ptr<State> state_;
};

Recorder::Recorder(Bytes memory_capacity) : state_(std::make_shared<State>(memory_capacity)) {}
Recorder::~Recorder() = default;

Tensor Recorder::allocate(Shape shape, DType dtype, MemoryKind kind) {
  const Bytes bytes = element_count(shape) * size_of(dtype);
  const StorageId id = state_->account.take(bytes, kind, state_->range_stack.place());
  add(AllocateOp{id, bytes, kind});
  state_->stubs[id] = std::make_shared<Storage>(id, bytes, kind);
  return {std::move(shape), dtype, std::make_shared<RecordedStorage>(state_, id, bytes, kind), 0};
}

void Recorder::launch(Stream stream, const Kernel& kernel) {
  Kernel copy = kernel;
  for (Tensor* tensor : operands(copy)) *tensor = detached(*tensor);
  add(KernelOp{stream, std::move(copy)});
}

void Recorder::launch(Stream stream, const Collective& collective) {
  Collective copy = collective;
  copy.input = detached(copy.input);
  copy.output = detached(copy.output);
  add(CollectiveOp{stream, std::move(copy)});
}

Event Recorder::record(Stream stream) {
  const Event event{state_->next_event++};
  add(RecordOp{stream, event});
  return event;
}

void Recorder::wait(Stream stream, Event event) { add(WaitOp{stream, event}); }

void Recorder::synchronize() { add(SynchronizeOp{}); }

void Recorder::upload(Stream stream, std::span<const std::byte> /*source*/, const Tensor& destination) {
  add(CopyOp{stream, detached(destination), true});
}

void Recorder::download(Stream stream, const Tensor& source, std::span<std::byte> /*destination*/) {
  add(CopyOp{stream, detached(source), false});
}

void Recorder::push_range(std::string_view name) { state_->range_stack.push(name); }

void Recorder::pop_range() { state_->range_stack.pop(); }

void Recorder::begin_step() {
  state_->program = {};
  state_->range_index.clear();
  state_->next_event = 0;
  state_->program.resident_memory = state_->account.current();
}

StepProgram Recorder::take_program() {
  state_->program.peak_memory = state_->account.at_peak();
  state_->program.peak_place = state_->account.peak_place();
  state_->range_index.clear();
  return std::exchange(state_->program, {});
}

void Recorder::add(OpAction action) { state_->program.ops.push_back({std::move(action), state_->current_range()}); }

Tensor Recorder::detached(const Tensor& tensor) {
  Tensor copy = tensor;
  if (tensor.defined()) copy.storage = state_->stubs.at(tensor.storage->id());
  return copy;
}

}  // namespace fourfold
