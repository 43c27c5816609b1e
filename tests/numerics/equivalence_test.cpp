// Simulated = real: the operations that a real rank executes are those that the recorder writes down for a simulated
// rank, and the real device's accounted peak is the recorded one.

#include <array>

#include <gtest/gtest.h>

#include "core/program/tracer.hpp"
#include "tests/numerics/tiny_gpt.hpp"
#include "tests/support/training_run.hpp"

namespace fourfold::test {
namespace {

/// The program of one real training step on every rank, traced while it computes.
std::vector<StepProgram> trace_real_step(const GptConfig& model, const TrainConfig& train,
                                         std::vector<MemoryAccount>& accounts) {
  std::vector<StepProgram> programs(static_cast<std::size_t>(train.grid.world_size()));
  accounts = real::run_ranks(train.grid, [&](RankContext& context) {
    Recorder recorder;
    Tracer tracer(recorder, context.device, context.communicator);
    RankContext traced{context.grid, context.rank, tracer, tracer};
    {
      Gpt gpt(traced, model, train);
      set_random_parameters(traced, gpt.parameters());
      recorder.begin_step();
      const RankTokens data = random_tokens(traced, model, train, 0);
      train_step(traced, gpt, train, {data.tokens, data.targets}, train.optimizer.learning_rate, 1);
      programs[static_cast<std::size_t>(context.rank)] = recorder.take_program();
    }
  });
  return programs;
}

void expect_real_equals_simulated(const GptConfig& model, const TrainConfig& train) {
  const StepProgram simulated = record_train_step(model, train);
  ASSERT_GT(simulated.ops.size(), 100U);
  std::vector<MemoryAccount> accounts;
  const std::vector<StepProgram> programs = trace_real_step(model, train, accounts);
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    const std::string what = "rank " + std::to_string(rank) + " of grid " + train.grid.to_string();
    ASSERT_EQ(to_string(programs[rank]), to_string(simulated)) << what;
    EXPECT_EQ(accounts[rank].peak(), total(simulated.peak_memory)) << what;
    EXPECT_EQ(accounts[rank].at_peak(), simulated.peak_memory) << what;
    EXPECT_EQ(accounts[rank].peak_place(), simulated.peak_place) << what;
    EXPECT_EQ(programs[rank].peak_memory, simulated.peak_memory) << what;
    EXPECT_EQ(total(accounts[rank].current()), 0) << what << " has lost memory";
  }
}

TEST(Equivalence, AllGridsOf8RanksAndSchedules) {
  const GptConfig model = tiny_gpt(8);
  const std::array<OverlapPolicy, 3> overlaps = {OverlapPolicy::none(), OverlapPolicy::paper(),
                                                 OverlapPolicy::all()};
  std::size_t turn = 0;
  for (const Grid& grid : all_grids(8)) {
    TrainConfig train = tiny_training(grid);
    train.batch = 16;
    train.dtype = std::array{DType::float64, DType::float32, DType::bfloat16}[turn % 3];
    train.recompute = turn % 2 == 0 ? Recompute::full : Recompute::none;
    train.overlap = overlaps[turn / 2 % 3];
    train.attention = turn / 4 % 2 == 0 ? AttentionAlgorithm::flash : AttentionAlgorithm::unfused;
    train.dropout = turn % 5 == 0 ? 0.1 : 0.0;
    ++turn;
    expect_real_equals_simulated(model, train);
  }
}

TEST(Equivalence, UntiedWithSeveralMicroBatches) {
  GptConfig model = tiny_gpt(4);
  model.tied = false;
  for (const Grid& grid : {Grid(1, 1, 1, 1), Grid(2, 1, 2, 1), Grid(1, 2, 1, 2)}) {
    TrainConfig train = tiny_training(grid);
    train.batch = 12;
    train.micro_batch = 1;
    train.overlap = OverlapPolicy::all();
    expect_real_equals_simulated(model, train);
  }
}

}  // namespace
}  // namespace fourfold::test
