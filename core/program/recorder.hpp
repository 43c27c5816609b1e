#pragma once
// A device and communicator that do nothing but write down what they are asked to do.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/backend/communicator.hpp"
#include "core/backend/device.hpp"
#include "core/program/step_program.hpp"

namespace fourfold {

class Recorder final : public Device, public Communicator {
 public:
  /// Throws OutOfMemory from `allocate` beyond `memory_capacity` bytes (0 = unlimited).
  explicit Recorder(Bytes memory_capacity = 0);
  ~Recorder() override;

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

  /// Forgets the operations so far (building the model) and starts the step; memory held now is resident.
  void begin_step();
  /// The program since `begin_step`.
  StepProgram take_program();

 private:
  struct State;  // outlives the recorder while tensors do
  class RecordedStorage;

  void add(OpAction action);
  /// The tensor with a storage that only carries the number: recorded operations keep nothing alive.
  Tensor detached(const Tensor& tensor);

  std::shared_ptr<State> state_;
};

}  // namespace fourfold
