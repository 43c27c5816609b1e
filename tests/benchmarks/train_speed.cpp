// Training speed of the cpu backend: a GPT of about 10 M parameters (6 layers, hidden 384, 6 heads, sequence 256, byte
// vocabulary) in fp32, without recomputation.
//
//   mpirun -n P train_speed GRID THREADS OVERLAP STEPS [BATCH]
//
// prints one JSON line of rank 0: tokens/s of the median step by wall clock and by processor time of the process, which
// other programs on the machine hardly disturb; where the processor time of the calling thread goes in a step, in
// milliseconds (kernels by name, the rest as "communication and other"); and what OpenBLAS alone needs for the same
// matrix products on one thread.

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/program/recorder.hpp"
#include "core/schedule/train_step.hpp"
#include "real/cpu/blas.hpp"
#include "real/mpi/run_mpi.hpp"

namespace {

using namespace fourfold;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Processor time of the process or of the calling thread.
double cpu_milliseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}
double thread_milliseconds() {
  return cpu_milliseconds(CLOCK_THREAD_CPUTIME_ID);
}

/// Times kernels, which the cpu backend runs inside `launch`, and forwards everything.
class KernelClock final : public Device {
 public:
  explicit KernelClock(Device& device) : device_(device) {}
  std::map<std::string, double> milliseconds;

  void launch(Stream stream, const Kernel& kernel) override {
    const double start = thread_milliseconds();
    device_.launch(stream, kernel);
    milliseconds[std::string(name_of(kernel))] += thread_milliseconds() - start;
  }
  Tensor allocate(Shape shape, DType dtype, MemoryKind kind) override {
    return device_.allocate(std::move(shape), dtype, kind);
  }
  Event record(Stream stream) override { return device_.record(stream); }
  void wait(Stream stream, Event event) override { device_.wait(stream, event); }
  void synchronize() override { device_.synchronize(); }
  void upload(Stream stream, std::span<const std::byte> source,
              const Tensor& destination) override {
    device_.upload(stream, source, destination);
  }
  void download(Stream stream, const Tensor& source, std::span<std::byte> destination) override {
    device_.download(stream, source, destination);
  }
  void push_range(std::string_view name) override { device_.push_range(name); }
  void pop_range() override { device_.pop_range(); }

 private:
  Device& device_;
};

GptConfig ten_million() {
  GptConfig model;
  model.name = "gpt-10m";
  model.layers = 6;
  model.hidden = 384;
  model.heads = 6;
  model.sequence = 256;
  model.vocabulary = 256;
  model.ffn = 4 * model.hidden;
  return model;
}

/// Time of all matrix products of a step in single-threaded OpenBLAS, on warm memory.
double openblas_milliseconds(const StepProgram& program) {
  double total = 0;
  for (const Op& op : program.ops) {
    const auto* launched = std::get_if<KernelOp>(&op.action);
    const Gemm* gemm = launched != nullptr ? std::get_if<Gemm>(&launched->kernel) : nullptr;
    if (gemm == nullptr) continue;
    std::vector<float> a(static_cast<std::size_t>(gemm->a.elements()), 1.0F);
    std::vector<float> b(static_cast<std::size_t>(gemm->b.elements()), 1.0F);
    std::vector<float> c(static_cast<std::size_t>(gemm->c.elements()), 0.0F);
    const std::int64_t k = gemm->a.shape[gemm->transpose_a ? 0 : 1];
    const double start = thread_milliseconds();
    real::cpu::blas_gemm(gemm->c.shape[0], gemm->c.shape[1], k, 1.0F,
                         {a.data(), gemm->a.shape[1], gemm->transpose_a},
                         {b.data(), gemm->b.shape[1], gemm->transpose_b}, 0.0F, c.data(),
                         gemm->c.shape[1]);
    total += thread_milliseconds() - start;
  }
  return total;
}

struct Options {
  Grid grid;
  int threads = 1;
  OverlapPolicy overlap;
  int steps = 5;
  std::int64_t batch = 8;
};

int measure(const real::MpiWorld& world, const Options& options) {
  const GptConfig model = ten_million();
  TrainConfig train;
  train.grid = options.grid;
  train.batch = options.batch;
  train.sequence = model.sequence;
  train.micro_batch = options.batch / options.grid.size(kBatchAxes);
  train.dtype = DType::float32;
  train.recompute = Recompute::none;
  train.overlap = options.overlap;
  check_divisibility(model, train);

  real::CpuRank rank(world, options.grid, {.threads = options.threads});
  KernelClock clock(rank.device());
  RankContext context{options.grid, world.rank, clock, rank.communicator()};
  Gpt gpt(context, model, train);
  initialize_parameters(context, gpt.parameters(), 1);
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(train.micro_batches() * train.rows()));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = static_cast<std::int32_t>(i * 7919 % 256);

  std::vector<double> steps;
  double thread_start = 0;
  double process_start = 0;
  for (int step = 0; step <= options.steps; ++step) {
    if (step == 1) {  // the first warms up
      clock.milliseconds.clear();
      thread_start = thread_milliseconds();
      process_start = cpu_milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    }
    const Clock::time_point start = Clock::now();
    train_step(context, gpt, train, {tokens, tokens}, 1e-4, step + 1);
    if (step > 0) steps.push_back(milliseconds_since(start));
  }
  const double thread_step = (thread_milliseconds() - thread_start) / options.steps;
  const double process_step =
      (cpu_milliseconds(CLOCK_PROCESS_CPUTIME_ID) - process_start) / options.steps;
  if (world.rank != 0) return 0;

  std::nth_element(steps.begin(), steps.begin() + options.steps / 2, steps.end());
  const double median = steps[static_cast<std::size_t>(options.steps / 2)];
  nlohmann::json parts;
  double kernels = 0;
  for (const auto& [name, total] : clock.milliseconds) {
    parts[name] = total / options.steps;
    kernels += total / options.steps;
  }
  parts["communication and other"] = thread_step - kernels;
  const double batch_tokens = static_cast<double>(options.batch * model.sequence);
  const nlohmann::json line = {
      {"grid", options.grid.to_string()},
      {"threads", options.threads},
      {"overlap", to_string(options.overlap)},
      {"tokens_per_s", batch_tokens / median * 1e3},
      {"tokens_per_cpu_s", batch_tokens / process_step * 1e3},
      {"step_ms", median},
      {"step_cpu_ms", process_step},
      {"openblas_alone_cpu_ms", openblas_milliseconds(record_train_step(model, train))},
      {"parts_cpu_ms", parts}};
  fmt::print("{}\n", line.dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return fourfold::real::run_mpi(argc, argv, [&](const fourfold::real::MpiWorld& world) {
    if (argc < 5) throw ConfigError("usage: train_speed GRID THREADS OVERLAP STEPS [BATCH]");
    return measure(world, {.grid = Grid::parse(argv[1]),
                           .threads = std::stoi(argv[2]),
                           .overlap = parse_overlap(argv[3]),
                           .steps = std::stoi(argv[4]),
                           .batch = argc > 5 ? std::stoi(argv[5]) : 8});
  });
}
