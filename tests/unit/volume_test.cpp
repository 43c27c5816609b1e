// The bytes of every collective against the paper's Eqs 1-5 (Singh et al., SC'24, section V.B), for every grid of up
// to 64 ranks; and against Megatron-LM's, FSDP's and HSDP's volumes where a grid is one of these.

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/layers/linear.hpp"
#include "core/program/recorder.hpp"
#include "core/schedule/train_step.hpp"

namespace fourfold {
namespace {

using Volumes = std::map<std::pair<CollectiveKind, AxisSet>, double>;

/// Bytes that one rank sends in rings, by kind and axes.
Volumes volumes_of(const StepProgram& program, const Grid& grid) {
  Volumes volumes;
  for (const Op& op : program.ops) {
    const auto* issued = std::get_if<CollectiveOp>(&op.action);
    if (issued == nullptr) continue;
    const Collective& collective = issued->collective;
    volumes[{collective.kind, collective.group}] +=
        ring_bytes_per_rank(collective.kind, full_bytes(collective), grid.size(collective.group));
  }
  return volumes;
}

double volume(const Volumes& volumes, CollectiveKind kind, AxisSet axes) {
  const auto found = volumes.find({kind, axes});
  return found == volumes.end() ? 0.0 : found->second;
}

/// Forward, backward and reduction of one linear layer, O (m x n) = I (m x k) W (k x n), m rows per data replica.
StepProgram record_linear(const Grid& grid, std::int64_t m, std::int64_t k, std::int64_t n, Orientation orientation) {
  Recorder recorder;
  RankContext context{grid, 0, recorder, recorder};
  ParameterStore store(DType::bfloat16);
  const Linear linear(store, grid, "linear",
                      {.inputs = k, .outputs = n, .orientation = orientation, .bucket = "linear"});
  store.allocate(context);
  recorder.begin_step();
  WeightGatherer weights(false);
  GradientReducer reducer(store, 1, false);
  GradientScatterer gradients(reducer, false);
  StepContext step{context, OverlapPolicy::none(), {}, weights, gradients};
  weights.plan(&linear.weight());
  const bool normal = orientation == Orientation::normal;
  const std::int64_t rows = m / grid.size(Axis::z);
  const Tensor input = recorder.allocate({rows, k / grid.size(normal ? Axis::y : Axis::x)}, DType::bfloat16,
                                         MemoryKind::activations);
  LinearActivations kept;
  const Tensor output = linear.forward(step, input, Keep::inputs_and_weights, kept);
  linear.backward(step, output, kept);
  gradients.finish(context);
  reducer.finish(context);
  return recorder.take_program();
}

struct LayerShape {
  std::int64_t m, k, n;
};

bool divides(const Grid& grid, const LayerShape& shape, std::int64_t gx, std::int64_t gy) {
  const std::int64_t gz = grid.size(Axis::z);
  return shape.m % gz == 0 && shape.k % gy == 0 && shape.n % gx == 0 && (shape.k / gy) * (shape.n / gx) % gz == 0;
}

/// Compares the recorded volumes with Eqs 1-5; transposed layers swap x and y.
void expect_equations_1_to_5(const Grid& grid, const LayerShape& shape, Orientation orientation) {
  const Axis x = orientation == Orientation::normal ? Axis::x : Axis::y;
  const Axis y = orientation == Orientation::normal ? Axis::y : Axis::x;
  const Volumes volumes = volumes_of(record_linear(grid, shape.m, shape.k, shape.n, orientation), grid);
  const double m = static_cast<double>(shape.m), k = static_cast<double>(shape.k), n = static_cast<double>(shape.n);
  const double gx = grid.size(x), gy = grid.size(y), gz = grid.size(Axis::z), gdata = grid.size(Axis::data);
  constexpr double kBf16 = 2, kFp32 = 4;
  // Relative to 1e-12: both sides are exact up to the rounding of (p-1)/p.
  const auto expect = [&](CollectiveKind kind, AxisSet axes, double bytes, int equation) {
    EXPECT_NEAR(volume(volumes, kind, axes), bytes, 1e-12 * bytes) << "Eq " << equation << " on " << grid.to_string();
  };
  expect(CollectiveKind::all_gather, Axis::z, (gz - 1) * k * n / (gx * gy * gz) * kBf16, 1);
  expect(CollectiveKind::reduce_scatter, Axis::z, (gz - 1) / gz * k * n / (gx * gy) * kBf16, 2);
  expect(CollectiveKind::all_reduce, y, 2 * (gy - 1) / gy * m * n / (gz * gx) * kBf16, 3);
  expect(CollectiveKind::all_reduce, x, 2 * (gx - 1) / gx * m * k / (gz * gy) * kBf16, 4);
  expect(CollectiveKind::all_reduce, Axis::data, 2 * (gdata - 1) / gdata * k * n / (gx * gy * gz) * kFp32, 5);
}

TEST(Volumes, OfALinearLayerAreEquations1To5OnEveryGridOfUpTo64Ranks) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    for (const Grid& grid : all_grids(ranks)) {
      const std::int64_t x = grid.size(Axis::x), y = grid.size(Axis::y), z = grid.size(Axis::z);
      // The last shape is made for the grid, so that every grid is checked at least once.
      const std::vector<LayerShape> shapes = {
          {64, 64, 192}, {128, 128, 64}, {192, 2880, 5760}, {4 * z, 2 * x * y * z, 6 * x * y}};
      for (const LayerShape& shape : shapes) {
        if (divides(grid, shape, x, y)) expect_equations_1_to_5(grid, shape, Orientation::normal);
        if (divides(grid, shape, y, x)) expect_equations_1_to_5(grid, shape, Orientation::transposed);
      }
      ASSERT_TRUE(divides(grid, shapes.back(), x, y) && divides(grid, shapes.back(), y, x));
    }
  }
}

GptConfig small_gpt() {
  GptConfig model;
  model.layers = 3;
  model.hidden = 64;
  model.heads = 8;
  model.sequence = 16;
  model.vocabulary = 256;
  model.ffn = 256;
  return model;
}

TrainConfig small_training(const Grid& grid) {
  TrainConfig train;
  train.grid = grid;
  train.batch = 16;
  train.micro_batch = 2;
  train.sequence = 16;
  return train;
}

/// All weights that are sharded over z: everything but biases and norms.
double matrix_elements(const GptConfig& model) {
  const double h = static_cast<double>(model.hidden);
  return 12.0 * h * h * static_cast<double>(model.layers) +
         h * static_cast<double>(model.vocabulary + model.sequence);
}

TEST(Volumes, XOnlyIsMegatronsTensorParallelism) {
  // Shoeybi et al. 2019: per layer and micro-batch two all_reduces of b s h forward, two backward; here one more
  // forward pass for the recomputation: 6 per layer. Embedding 1 and head 1 of the same size.
  const int x = 4;
  const GptConfig model = small_gpt();
  TrainConfig train = small_training(Grid(x, 1, 1, 1));
  train.micro_batch = train.batch;
  const Volumes volumes = volumes_of(record_train_step(model, train), train.grid);
  const double one = 2.0 * (x - 1) / x * 16 * 16 * 64 * 2;  // ring bytes of b s h in bf16
  EXPECT_DOUBLE_EQ(volume(volumes, CollectiveKind::all_reduce, Axis::x), (6 * 3 + 2) * one);
  EXPECT_EQ(volume(volumes, CollectiveKind::all_gather, Axis::z), 0);
  EXPECT_EQ(volume(volumes, CollectiveKind::reduce_scatter, Axis::z), 0);
  EXPECT_EQ(volume(volumes, CollectiveKind::all_reduce, Axis::data), 0);
}

TEST(Volumes, ZOnlyIsFsdp) {
  // FSDP / ZeRO-3: every weight gathered for the forward and again for the backward pass, every gradient scattered
  // once, (z-1)/z of the bytes each. The embedding's backward pass needs no weight; the tied head gathers the token
  // table once for both passes and scatters a second contribution to its gradient.
  const int z = 8;
  const GptConfig model = small_gpt();
  for (Recompute recompute : {Recompute::none, Recompute::full}) {
    TrainConfig train = small_training(Grid(1, 1, z, 1));
    train.recompute = recompute;
    const Volumes volumes = volumes_of(record_train_step(model, train), train.grid);
    const double share = (z - 1.0) / z * 2;  // bf16
    const double tokens = 256 * 64, positions = 16 * 64;
    const double blocks = matrix_elements(model) - tokens - positions;
    EXPECT_DOUBLE_EQ(volume(volumes, CollectiveKind::all_gather, Axis::z), share * (2 * blocks + 2 * tokens + positions));
    EXPECT_DOUBLE_EQ(volume(volumes, CollectiveKind::reduce_scatter, Axis::z), share * (blocks + 2 * tokens + positions));
    EXPECT_EQ(volume(volumes, CollectiveKind::all_reduce, Axis::x), 0);
    EXPECT_EQ(volume(volumes, CollectiveKind::all_reduce, Axis::y), 0);
  }
}

TEST(Volumes, ZAndDataIsHsdp) {
  // HSDP: FSDP inside z, and one all_reduce of the fp32 gradient shards over data for the whole step.
  const int z = 4, data = 2;
  const GptConfig model = small_gpt();
  const TrainConfig train = small_training(Grid(1, 1, z, data));
  const Volumes volumes = volumes_of(record_train_step(model, train), train.grid);
  EXPECT_DOUBLE_EQ(volume(volumes, CollectiveKind::all_reduce, Axis::data),
                   2.0 * (data - 1) / data * matrix_elements(model) / z * 4);
}

TEST(Volumes, DoNotDependOnTheOverlap) {
  const GptConfig model = small_gpt();
  TrainConfig train = small_training(Grid(2, 2, 2, 2));
  train.overlap = OverlapPolicy::none();
  const Volumes reference = volumes_of(record_train_step(model, train), train.grid);
  for (const char* overlap : {"oar", "ors", "oag", "odp", "paper", "all"}) {
    train.overlap = parse_overlap(overlap);
    EXPECT_EQ(volumes_of(record_train_step(model, train), train.grid), reference) << overlap;
  }
}

}  // namespace
}  // namespace fourfold
