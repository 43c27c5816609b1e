// Training on processes: on every grid of as many ranks as mpirun started, the losses are those of one rank, and what
// a rank does is what the recorder says a simulated rank does.

#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/program/tracer.hpp"
#include "real/mpi/run_mpi.hpp"
#include "tests/numerics/comparison.hpp"
#include "tests/numerics/tiny_gpt.hpp"
#include "tests/support/training_run.hpp"

namespace fourfold::test {
namespace {

real::MpiWorld world() {
  real::MpiWorld world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  return world;
}

constexpr int kSteps = 20;

/// Many ranks share the cores of a test machine: one thread each, a smaller model, and types take turns with the orders.
bool are_many(const real::MpiWorld& ranks) {
  return ranks.size > 4;
}

GptConfig model_for(const real::MpiWorld& ranks) {
  GptConfig model = tiny_gpt(ranks.size);
  if (are_many(ranks)) model.layers = 1;
  return model;
}

std::vector<const char*> orders_for(const real::MpiWorld& ranks, DType dtype) {
  if (!are_many(ranks)) return {"xyzd", "yxzd"};
  return {dtype == DType::float64 ? "yxzd" : "xyzd"};
}

constexpr real::MpiWorld kAlone{MPI_COMM_SELF, 0, 1};

/// Losses of `steps` steps on the cpu backend.
std::vector<double> losses_of(const real::MpiWorld& ranks, const GptConfig& model,
                              const TrainConfig& train, int steps) {
  real::CpuRank rank(ranks, train.grid, {.threads = are_many(ranks) ? 1 : 2},
                     {.check_collectives = true});
  RankContext context = rank.context();
  Gpt gpt(context, model, train);
  set_random_parameters(context, gpt.parameters());
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    const RankTokens data = random_tokens(context, model, train, step);
    losses.push_back(train_step(context, gpt, train, {data.tokens, data.targets},
                                train.optimizer.learning_rate, step + 1)
                         .loss);
  }
  return losses;
}

/// Schedules take turns over the grids.
struct Schedule {
  OverlapPolicy overlap;
  Recompute recompute;
  AttentionAlgorithm attention;
};
const std::array<Schedule, 3> kSchedules = {{
    {OverlapPolicy::none(), Recompute::none, AttentionAlgorithm::flash},
    {OverlapPolicy::all(), Recompute::full, AttentionAlgorithm::flash},
    {OverlapPolicy::all(), Recompute::none, AttentionAlgorithm::unfused},
}};

class MpiTraining : public testing::Test {
 protected:
  GptConfig model_ = model_for(world());

  TrainConfig serial(DType dtype) const {
    TrainConfig train = tiny_training(Grid());
    train.batch = world().size;
    train.dtype = dtype;
    return train;
  }

  /// Calls `body(train, what)` for every grid.
  template <typename Body>
  void for_all_grids(DType dtype, Body body) const {
    std::size_t turn = 0;
    for (const char* order : orders_for(world(), dtype)) {
      for (const Grid& grid : all_grids(world().size, parse_axis_order(order))) {
        const Schedule& schedule = kSchedules[turn++ % kSchedules.size()];
        TrainConfig train = tiny_training(grid);
        train.dtype = dtype;
        train.overlap = schedule.overlap;
        train.recompute = schedule.recompute;
        train.attention = schedule.attention;
        body(train, fmt::format("grid {} {}", grid.to_string(), order));
      }
    }
  }
};

TEST_F(MpiTraining, EqualsTheReferenceInDoublePrecision) {
  const std::vector<double> expected = run_training(model_, serial(DType::float64), kSteps).losses;
  for_all_grids(DType::float64, [&](const TrainConfig& train, const std::string& what) {
    expect_near_relative(losses_of(world(), model_, train, kSteps), expected, 1e-11,
                         what + " loss of step");
  });
}

TEST_F(MpiTraining, EqualsOneRankInSinglePrecision) {
  const std::vector<double> expected = losses_of(kAlone, model_, serial(DType::float32), kSteps);
  for_all_grids(DType::float32, [&](const TrainConfig& train, const std::string& what) {
    expect_near_relative(losses_of(world(), model_, train, kSteps), expected, 1e-5,
                         what + " loss of step");
  });
}

// bf16 rounds activations to 8 bits, in other places on other grids: losses agree to about that, and fall.
TEST_F(MpiTraining, EqualsOneRankUpToRoundingInBfloat16) {
  constexpr int kFewSteps = 3;  // rounding adds up
  const std::vector<double> expected =
      losses_of(kAlone, model_, serial(DType::bfloat16), kFewSteps);
  for_all_grids(DType::bfloat16, [&](const TrainConfig& train, const std::string& what) {
    expect_near_relative(losses_of(world(), model_, train, kFewSteps), expected, 0x1p-6,
                         what + " loss of step");
  });
}

TEST_F(MpiTraining, IsBitwiseReproducible) {
  TrainConfig train = tiny_training(all_grids(world().size).back());
  train.dtype = DType::float32;
  train.overlap = OverlapPolicy::all();
  EXPECT_EQ(losses_of(world(), model_, train, 5), losses_of(world(), model_, train, 5));
}

TEST_F(MpiTraining, DoesAndHoldsWhatTheRecorderSays) {
  for_all_grids(DType::bfloat16, [&](const TrainConfig& train, const std::string& what) {
    real::CpuRank rank(world(), train.grid);
    const RankContext real_context = rank.context();
    Recorder recorder;
    Tracer tracer(recorder, real_context.device, real_context.communicator);
    RankContext context{train.grid, world().rank, tracer, tracer};
    Gpt gpt(context, model_, train);
    set_random_parameters(context, gpt.parameters());
    const RankTokens data = random_tokens(context, model_, train, 0);
    recorder.begin_step();
    train_step(context, gpt, train, {data.tokens, data.targets}, train.optimizer.learning_rate, 1);
    const StepProgram real_program = recorder.take_program();
    const StepProgram simulated = record_train_step(model_, train, 0, world().rank);
    ASSERT_EQ(to_string(real_program), to_string(simulated)) << what;
    EXPECT_EQ(rank.device().memory().at_peak(), simulated.peak_memory) << what;
    EXPECT_GE(rank.device().reserved_memory(), total(simulated.peak_memory)) << what;
  });
}

}  // namespace
}  // namespace fourfold::test
