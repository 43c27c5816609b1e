// A writer that is killed at any moment leaves the previous checkpoint whole.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/backend/ops.hpp"
#include "core/base/counter_random.hpp"
#include "real/checkpoint/checkpoint.hpp"
#include "real/checkpoint/save.hpp"
#include "real/checkpoint/staging.hpp"
#include "real/reference/run_ranks.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/train/small_model.hpp"

namespace fourfold::real {
namespace {

const Grid kGrid(2, 1, 1, 1);

/// Saves checkpoints of rising steps for ever; in each, all weights are the number of the step.
void write_for_ever(const std::filesystem::path& directory, std::int64_t first_step) {
  run_ranks(kGrid, [&](RankContext& context) {
    Gpt gpt(context, test::small_model(), test::small_training(kGrid));
    for (std::int64_t step = first_step;; ++step) {
      for (const ParameterBucket& bucket : gpt.parameters().buckets()) {
        for (const Tensor& tensor : {bucket.values, bucket.first_moment, bucket.second_moment}) {
          launch(context, Fill{tensor, static_cast<double>(step)});
        }
      }
      save_checkpoint(context, test::small_model(), gpt.parameters(), {step, 0, 1, 10, 8},
                      directory);
      if (context.rank == 0) remove_old_checkpoints(directory, 2);
    }
  });
}

/// Opens the checkpoint, checks its sums, and looks at the weights of one parameter.
void expect_whole(const std::filesystem::path& path) {
  const Checkpoint checkpoint(path);
  checkpoint.verify(0, 1);
  const StoredParameter& parameter = checkpoint.parameter("blocks.0.mlp.fc1.weight", {16, 64});
  const auto states = checkpoint.read(parameter, {{0, 0, 16 * 64}});
  const auto* const weights = reinterpret_cast<const float*>(states[0].data());
  for (int i = 0; i < 16 * 64; ++i)
    ASSERT_EQ(weights[i], static_cast<float>(checkpoint.manifest().state.step));
}

TEST(KillTest, FiftyKillsLeaveWholeCheckpoints) {
  constexpr int kKills = 50;
  constexpr double kLongestLife = 0.06;  // s: a few checkpoints
  const test::TemporaryDirectory directory;
  std::int64_t latest_step = 0;
  for (int i = 0; i < kKills; ++i) {
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      write_for_ever(directory.path(), latest_step + 1);
      ::_exit(1);
    }
    const double life =
        kLongestLife * random_uniform(random_key(7, "kill"), static_cast<std::uint64_t>(i));
    ::usleep(static_cast<useconds_t>(1e6 * life));
    ::kill(writer, SIGKILL);
    int status = 0;
    ::waitpid(writer, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";

    for (const auto& path : list_checkpoints(directory.path())) expect_whole(path);
    if (const auto latest = latest_checkpoint(directory.path())) {
      const std::int64_t step = read_manifest(*latest).state.step;
      ASSERT_GE(step, latest_step) << "a checkpoint was lost";
      latest_step = step;
    } else {
      ASSERT_EQ(latest_step, 0) << "all checkpoints were lost";
    }
  }
  EXPECT_GT(latest_step, kKills / 4)
      << "too few checkpoints were written for the kills to mean anything";
}

}  // namespace
}  // namespace fourfold::real
