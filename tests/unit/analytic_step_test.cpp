// The analytical model against recorded programs: kernels, FLOPs, collectives and memory are the
// same, for all grids and schedules, although the model walks only a few of the blocks and
// micro-batches.

#include <map>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/schedule/train_step.hpp"
#include "tests/unit/analytic_data.hpp"

namespace fourfold {
namespace {

struct Recorded {
  Seconds kernels = 0;
  Flops flops = 0;
  std::array<Seconds, kStreamCount> busy{};
  MemoryByKind resident{}, peak{};
};

/// Sums over a recorded program, with the same cost models.
Recorded record(const GptConfig& model, const TrainConfig& train, const AnalyticMachine& machine) {
  const StepProgram program = record_train_step(model, train);
  const KernelModel kernels(machine.gpu);
  const CollectiveModel collectives(machine.library, machine.links);
  const FittedCollectives fitted(collectives, machine.links, train.grid);
  Recorded recorded;
  for (const Op& op : program.ops) {
    if (const auto* kernel = std::get_if<KernelOp>(&op.action)) {
      recorded.kernels += kernels.time(kernel->kernel);
      recorded.flops += flops(kernel->kernel);
    }
    if (const auto* issued = std::get_if<CollectiveOp>(&op.action)) {
      recorded.busy[static_cast<std::size_t>(issued->stream)] +=
          fitted
              .time(issued->collective.kind, full_bytes(issued->collective),
                    issued->collective.group)
              .total;
    }
  }
  recorded.resident = program.resident_memory;
  recorded.peak = program.peak_memory;
  return recorded;
}

std::string describe(const GptConfig& model, const TrainConfig& train) {
  return "grid " + train.grid.to_string() + ", " + std::to_string(model.layers) + " layers, " +
         std::to_string(train.micro_batches()) + " micro-batches, overlap " +
         to_string(train.overlap) + (train.recompute == Recompute::full ? ", recompute" : "");
}

void expect_as_recorded(const GptConfig& model, const TrainConfig& train) {
  SCOPED_TRACE(describe(model, train));
  const AnalyticMachine machine = small_machine();
  const Recorded recorded = record(model, train, machine);
  const StepEstimate estimate = StepModel(model, machine, CommVariant::fitted).estimate(train);
  constexpr double kRounding = 1e-9;  // relative: sums in another order
  EXPECT_NEAR(estimate.totals.kernels, recorded.kernels, kRounding * recorded.kernels);
  EXPECT_NEAR(estimate.totals.flops, recorded.flops, kRounding * recorded.flops);
  for (const Stream stream : kAllStreams) {
    const auto i = static_cast<std::size_t>(stream);
    EXPECT_NEAR(estimate.totals.busy[i], recorded.busy[i], kRounding * recorded.busy[i])
        << name_of(stream);
  }
  EXPECT_EQ(estimate.resident, recorded.resident);
  EXPECT_EQ(estimate.peak, recorded.peak);
}

TEST(StepModel, IsTheRecordedProgramOnEveryGridOfUpTo16Ranks) {
  for (const int ranks : {1, 2, 3, 4, 6, 8, 12, 16}) {
    for (const Grid& grid : all_grids(ranks)) {
      const TrainConfig train = small_training(grid);
      try {
        check_divisibility(small_gpt(), train);
      } catch (const ShapeError&) {
        continue;
      }
      expect_as_recorded(small_gpt(), train);
    }
  }
}

TEST(StepModel, IsTheRecordedProgramForEveryOverlap) {
  for (const char* overlap : {"none", "oar", "ors", "oag", "odp", "paper", "all"}) {
    for (const Recompute recompute : {Recompute::none, Recompute::full}) {
      for (const Grid& grid : {Grid(2, 2, 2, 2), Grid(1, 1, 4, 1), Grid(1, 2, 4, 2)}) {
        TrainConfig train = small_training(grid);
        train.overlap = parse_overlap(overlap);
        train.recompute = recompute;
        expect_as_recorded(small_gpt(), train);
      }
    }
  }
}

TEST(StepModel, IsTheRecordedProgramForAnyDepthAndNumberOfMicroBatches) {
  for (std::int64_t layers = 1; layers <= 8; ++layers) {
    for (const std::int64_t micro_batches : {1, 2, 3, 5}) {
      expect_as_recorded(small_gpt(layers), small_training(Grid(2, 1, 2, 2), micro_batches));
    }
  }
}

TEST(StepModel, IsTheRecordedProgramForOtherModelsAndTypes) {
  GptConfig untied = small_gpt();
  untied.tied = false;
  GptConfig wide_vocabulary = small_gpt();
  wide_vocabulary.vocabulary = 288 * 64;  // the peak lies in the head
  for (const GptConfig& model : {untied, wide_vocabulary}) {
    for (const DType dtype : {DType::bfloat16, DType::float32}) {
      for (const auto attention : {AttentionAlgorithm::flash, AttentionAlgorithm::unfused}) {
        TrainConfig train = small_training(Grid(2, 2, 2, 1));
        train.dtype = dtype;
        train.attention = attention;
        train.recompute = Recompute::none;
        expect_as_recorded(model, train);
      }
    }
  }
}

// Kernels between the start of a collective and its join take half as long again. Without overlap there are none.
TEST(StepModel, KernelsBesideCollectivesTakeLonger) {
  TrainConfig train = small_training(Grid(2, 2, 2, 2));
  AnalyticMachine machine = small_machine();
  const auto kernels = [&](const char* overlap, double slowdown) {
    train.overlap = parse_overlap(overlap);
    machine.gpu.overlap_slowdown = slowdown;
    return StepModel(small_gpt(), machine, CommVariant::fitted).estimate(train).totals.kernels;
  };
  const Seconds alone = kernels("none", 0.0);
  EXPECT_NEAR(kernels("none", 0.5), alone, 1e-9 * alone);
  EXPECT_NEAR(kernels("paper", 0.0), alone, 1e-9 * alone);
  const Seconds all_reduce = kernels("oar", 0.5), paper = kernels("paper", 0.5);
  EXPECT_GT(all_reduce, 1.01 * alone);
  EXPECT_GT(paper, all_reduce);
  EXPECT_LE(paper, 1.5 * alone * (1 + 1e-9));
}

TEST(StepModel, WithoutOverlapAddsUpKernelsAndCollectives) {
  for (const Grid& grid :
       {Grid(1, 1, 1, 1), Grid(2, 2, 2, 2), Grid(1, 1, 8, 1), Grid(4, 1, 1, 4)}) {
    TrainConfig train = small_training(grid);
    train.overlap = OverlapPolicy::none();
    const StepEstimate estimate =
        StepModel(small_gpt(), small_machine(), CommVariant::fitted).estimate(train);
    const Seconds sum = estimate.totals.kernels + estimate.communication.total();
    EXPECT_NEAR(estimate.step_time, sum, 1e-9 * sum) << grid.to_string();
  }
}

TEST(StepModel, OverlapNeverMakesAStepSlower) {
  for (const Grid& grid :
       {Grid(2, 2, 2, 2), Grid(1, 1, 16, 1), Grid(1, 1, 2, 8), Grid(4, 4, 1, 1)}) {
    TrainConfig train = small_training(grid);
    StepModel model(small_gpt(), small_machine(), CommVariant::fitted);
    train.overlap = OverlapPolicy::none();
    const Seconds alone = model.estimate(train).step_time;
    for (const char* overlap : {"oar", "ors", "oag", "odp", "paper", "all"}) {
      train.overlap = parse_overlap(overlap);
      const StepEstimate estimate = model.estimate(train);
      EXPECT_LE(estimate.step_time, alone * (1 + 1e-12)) << grid.to_string() << " " << overlap;
      EXPECT_GE(estimate.step_time, estimate.totals.kernels) << grid.to_string() << " " << overlap;
    }
  }
}

TEST(StepModel, PaperVariantsAddTheEquationsToTheKernels) {
  const TrainConfig train = small_training(Grid(2, 1, 2, 2));
  const StepEstimate fitted =
      StepModel(small_gpt(), small_machine(), CommVariant::fitted).estimate(train);
  const StepEstimate paper =
      StepModel(small_gpt(), small_machine(), CommVariant::paper).estimate(train);
  const StepEstimate scripted =
      StepModel(small_gpt(), small_machine(), CommVariant::scripted).estimate(train);
  EXPECT_DOUBLE_EQ(paper.totals.kernels, fitted.totals.kernels);
  EXPECT_DOUBLE_EQ(paper.step_time, paper.totals.kernels + paper.communication.total());
  // fp32 instead of bf16 gradients.
  EXPECT_DOUBLE_EQ(scripted.communication.data, 2 * paper.communication.data);
}

TEST(StepModel, PaperVariantsNeedATableOfBandwidths) {
  AnalyticMachine machine = small_machine();
  machine.bandwidths.reset();
  EXPECT_THROW(StepModel(small_gpt(), machine, CommVariant::paper), ConfigError);
  EXPECT_NO_THROW(StepModel(small_gpt(), machine, CommVariant::fitted));
}

TEST(StepModel, FlopsAreNarayanansFormula) {
  // 96 B s L h^2 (1 + s/(6h) + V/(16 L h)) with full recomputation; flash attention computes the
  // scores of the backward pass once more, 2 R s h a layer, which the formula does not count.
  GptConfig model = small_gpt();
  TrainConfig train = small_training(Grid(1, 1, 1, 1));
  train.sequence = model.sequence;
  const double rows = static_cast<double>(train.batch * train.sequence);
  const Flops scores = 2 * rows * static_cast<double>(train.sequence * model.hidden * model.layers);
  const StepEstimate estimate =
      StepModel(model, small_machine(), CommVariant::fitted).estimate(train);
  EXPECT_DOUBLE_EQ(estimate.totals.flops, model.formula_hardware_flops(train.batch) + scores);
}

}  // namespace
}  // namespace fourfold
