// How many communication-model evaluations and complete plans a second the analytical model makes
// on one core. Run: build/release/tests/analytic_benchmark

#include <benchmark/benchmark.h>

#include "core/analytic/planner.hpp"

namespace fourfold {
namespace {

AnalyticMachine perlmutter() {
  const std::string platforms = FOURFOLD_SOURCE_DIR "/platforms/";
  AnalyticMachine machine;
  machine.gpu = read_gpu_spec(platforms + "gpus/a100-sxm4-40.json");
  machine.library = read_library_constants(platforms + "libraries/nccl-slingshot.json");
  machine.links = {
      .nic_bandwidth = 25e9, .port_bandwidth = 300e9, .gpus_per_node = 4, .nics_per_node = 4};
  machine.bandwidths = read_bandwidth_table(platforms + "bandwidths/perlmutter.json");
  return machine;
}

PlanRequest request_of(const GptConfig& model, int gpus) {
  PlanRequest request;
  request.gpus = gpus;
  request.train.batch = 8192;
  request.train.sequence = model.sequence;
  return request;
}

/// The paper's model of communication, one configuration after the other.
void communication_model(benchmark::State& state) {
  const GptConfig gpt = find_gpt_config("gpt-80b");
  StepModel model(gpt, perlmutter(), CommVariant::scripted);
  TrainConfig train = request_of(gpt, 1024).train;
  const std::vector<Grid> grids = all_grids(1024);
  std::size_t next = 0;
  for (auto _ : state) {
    train.grid = grids[next++ % grids.size()];
    train.micro_batch = train.sequences_per_rank();
    benchmark::DoNotOptimize(model.communication(train));
  }
  state.counters["evaluations/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(communication_model);

/// Time and memory of every grid, micro-batch size and recomputation, from nothing.
void plans(benchmark::State& state, const std::string& model_name, int gpus) {
  const GptConfig gpt = find_gpt_config(model_name);
  const AnalyticMachine machine = perlmutter();
  std::int64_t evaluated = 0;
  for (auto _ : state) {
    StepModel model(gpt, machine, CommVariant::fitted);
    evaluated += search_plans(model, request_of(gpt, gpus)).evaluated;
  }
  state.counters["plans"] =
      static_cast<double>(evaluated) / static_cast<double>(state.iterations());
  state.counters["plans/s"] =
      benchmark::Counter(static_cast<double>(evaluated), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(plans, gpt_80b_on_1024, "gpt-80b", 1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plans, gpt_640b_on_32768, "gpt-640b", 32768)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fourfold
