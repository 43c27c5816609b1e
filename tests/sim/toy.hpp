#pragma once
// Small steps on toy platforms (tests/golden), with numbers that can be added up by hand.

#include <string>

#include "core/backend/ops.hpp"
#include "core/models/gpt_config.hpp"
#include "core/program/recorder.hpp"
#include "sim/simulation.hpp"

namespace fourfold::sim {

/// 16 GPUs of tests/golden/`platform`.xml. Kernels run at 1 TB/s and start in no time; the collective library adds
/// nothing to the wires: no start-up, full efficiency, a step as short as the hop. The GPUs of a
/// node share its NICs evenly in order.
Machine toy_machine(const std::string& platform, int gpus_per_node, int nics_per_node);
/// With a NIC for every GPU.
Machine toy_machine(const std::string& platform, int gpus_per_node);

/// With the kernel times of a real GPU, for real models.
Machine toy_machine_of_a100s(const std::string& platform, int gpus_per_node, int nics_per_node);
/// Small, but with kernels that take their time.
GptConfig toy_gpt(std::int64_t layers);

/// Latency added instead of hidden, `fixed` and a step latency: the library's LL protocol.
void use_low_latency(Machine& machine, Seconds fixed, Seconds step_latency);

/// Records a step and simulates it.
class ToyStep {
 public:
  explicit ToyStep(const Grid& grid) : grid_(grid), context_{grid_, 0, recorder_, recorder_} {
    recorder_.begin_step();
  }

  RankContext& context() { return context_; }
  Recorder& recorder() { return recorder_; }
  Tensor buffer(Bytes bytes) {
    return recorder_.allocate({bytes / 4}, DType::float32, MemoryKind::workspace);
  }
  /// A kernel of that many milliseconds on a toy machine.
  void kernel(double milliseconds, Stream stream = Stream::compute);
  StepProgram program() { return recorder_.take_program(); }
  SimulationResult simulate(const Machine& machine, const SimulationOptions& options = {}) {
    return sim::simulate(program(), grid_, machine, options);
  }

 private:
  Grid grid_;
  Recorder recorder_;
  RankContext context_;
};

/// One blocking collective over `axes`; `full_bytes` as in collective.hpp.
StepProgram one_collective(const Grid& grid, CollectiveKind kind, Axis axis, Bytes full_bytes);

}  // namespace fourfold::sim
