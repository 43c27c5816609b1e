#include "tests/sim/toy.hpp"

#include <cmath>

namespace fourfold::sim {

Machine toy_machine(const std::string& platform, int gpus_per_node, int nics_per_node) {
  Machine machine;
  machine.name = platform;
  machine.file = std::string(FOURFOLD_SOURCE_DIR) + "/tests/golden/" + platform + ".xml";
  machine.gpus = 16;
  machine.gpus_per_node = gpus_per_node;
  machine.nics_per_node = nics_per_node;
  for (int gpu = 0; gpu < gpus_per_node; ++gpu) {
    machine.gpu_to_nic.push_back(gpu * nics_per_node / gpus_per_node);
  }
  machine.nic_bandwidth = 10e9;
  machine.port_bandwidth = 100e9;
  machine.gpu.memory_bandwidth = 1e12;
  return machine;
}

Machine toy_machine(const std::string& platform, int gpus_per_node) {
  return toy_machine(platform, gpus_per_node, gpus_per_node);
}

Machine toy_machine_of_a100s(const std::string& platform, int gpus_per_node, int nics_per_node) {
  Machine machine = toy_machine(platform, gpus_per_node, nics_per_node);
  machine.gpu = read_gpu_spec(FOURFOLD_SOURCE_DIR "/platforms/gpus/a100-sxm4-40.json");
  return machine;
}

GptConfig toy_gpt(std::int64_t layers) {
  GptConfig model;
  model.name = "small";
  model.layers = layers;
  model.hidden = 1024;
  model.heads = 16;
  model.sequence = 128;
  model.vocabulary = 4096;
  model.ffn = 4096;
  return model;
}

void use_low_latency(Machine& machine, Seconds fixed, Seconds step_latency) {
  const ProtocolConstants low_latency = {.step_latency_network = step_latency,
                                         .step_latency_node = step_latency};
  // So slow that it is never chosen.
  const ProtocolConstants simple = {.network_efficiency = 1e-3, .node_efficiency = 1e-3};
  const RingConstants ring = {
      .fixed_network = fixed, .fixed_node = fixed, .simple = simple, .low_latency = low_latency};
  machine.library.all_gather = ring;
  machine.library.reduce_scatter = ring;
}

void ToyStep::kernel(double milliseconds, Stream stream) {
  const auto bytes = static_cast<Bytes>(std::llround(milliseconds * 1e9));  // 1 GB takes 1 ms
  recorder_.launch(stream, Fill{buffer(bytes), 0.0});
}

StepProgram one_collective(const Grid& grid, CollectiveKind kind, Axis axis, Bytes full_bytes) {
  ToyStep step(grid);
  RankContext& context = step.context();
  switch (kind) {
    case CollectiveKind::all_reduce:
      all_reduce(context, axis, step.buffer(full_bytes));
      break;
    case CollectiveKind::all_gather:
      all_gather(context, axis, step.buffer(full_bytes / grid.size(axis)), MemoryKind::workspace);
      break;
    case CollectiveKind::reduce_scatter:
      reduce_scatter(context, axis, step.buffer(full_bytes), MemoryKind::workspace);
      break;
    case CollectiveKind::broadcast: {
      const Tensor buffer = step.buffer(full_bytes);
      step.recorder().launch(Stream::comm_data, {kind, axis, buffer, buffer, Reduction::sum});
      break;
    }
  }
  return step.program();
}

}  // namespace fourfold::sim
