// fourfold-train from outside: what a user types, sees and gets.

#include <cmath>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "real/checkpoint/durable_file.hpp"
#include "real/checkpoint/safetensors_file.hpp"
#include "real/checkpoint/staging.hpp"
#include "tests/train/program_runner.hpp"

namespace fourfold::test {
namespace {

using namespace fourfold::real;
using testing::HasSubstr;

TEST_F(ProgramTest, LearnsAndContinuesTheText) {
  const Outcome trained =
      run(flags("--steps 300 --lr 1e-2 --eval-every 100 --log-every 100 " + out("run")));
  ASSERT_EQ(trained.exit_code, 0) << trained.output;
  const auto rows = metrics("run");
  ASSERT_EQ(rows.size(), 300U);
  EXPECT_NEAR(rows.front().at("loss"), std::log(256.0), 0.1);  // nothing known: all 256 bytes alike
  EXPECT_LT(rows.back().at("loss"), 0.5);
  EXPECT_LT(rows.back().at("validation_loss"), 0.5);
  const std::string prompt = "the quick brown ";
  const Outcome generated =
      run(fmt::format("generate --checkpoint {} --prompt '{}' --tokens 20 --temperature 0",
                      path("run").string(), prompt));
  EXPECT_EQ(generated.output, "the quick brown fox jumps over the l\n");
  const Outcome on_grid =
      run(fmt::format("generate --checkpoint {} --prompt '{}' --tokens 20 --temperature 0 "
                      "--backend reference --grid 2x2x1x1",
                      path("run").string(), prompt));
  EXPECT_EQ(on_grid.output, generated.output);
}

// Single batches differ by some hundredths; the mean of 20 is what was learnt.
TEST_F(ProgramTest, LearnsAsMuchInBfloat16AsInSinglePrecision) {
  const auto learnt = [&](const std::string& dtype) {
    EXPECT_EQ(
        run(flags("--steps 200 --lr 1e-2 --quiet --dtype " + dtype + " " + out(dtype))).exit_code,
        0);
    const std::vector<double> all = losses(dtype);
    return std::accumulate(all.end() - 20, all.end(), 0.0) / 20;
  };
  const double fp32 = learnt("fp32");
  EXPECT_LT(fp32, 0.3);  // from log 256 = 5.5
  EXPECT_NEAR(learnt("bf16"), fp32, 0.03);
}

TEST_F(ProgramTest, LossesDoNotDependOnTheGrid) {
  ASSERT_EQ(run(flags("--steps 5 --dropout 0.1 " + out("one"))).exit_code, 0);
  ASSERT_EQ(run(flags("--steps 5 --dropout 0.1 --backend reference --grid 2x2x2x2 " + out("many")))
                .exit_code,
            0);
  const auto one = losses("one"), many = losses("many");
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(many[i], one[i], 1e-5 * one[i]);
}

TEST_F(ProgramTest, ResumesBitForBitAfterAKill) {
  const std::string arguments =
      flags("--steps 20 --save-every 5 --backend reference --grid 2x1x2x1 --dropout 0.1 ");
  ASSERT_EQ(run(arguments + out("straight")).exit_code, 0);
  kill_at_checkpoint(arguments + out("killed"), "killed", 10);
  const Outcome resumed = run(arguments + out("killed") + " --resume");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("resumed from"));
  EXPECT_EQ(losses("killed"), losses("straight"));  // every step once, equal in all digits
}

TEST_F(ProgramTest, ResumesOnAnotherGridWithinRounding) {
  const std::string arguments = flags("--steps 20 --save-every 10 ");
  ASSERT_EQ(run(arguments + "--backend reference --grid 2x1x1x2 " + out("straight")).exit_code, 0);
  kill_at_checkpoint(arguments + "--backend reference --grid 2x1x1x2 " + out("killed"), "killed",
                     10);
  ASSERT_EQ(run(arguments +
                "--backend reference --grid 1x2x2x1 --micro-batch 2 --recompute full --overlap "
                "none --resume " +
                out("killed"))
                .exit_code,
            0);
  const auto straight = losses("straight"), killed = losses("killed");
  ASSERT_EQ(killed.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(killed[i], straight[i], 1e-5 * straight[i]);
}

TEST_F(ProgramTest, ProcessesUnderMpirunGiveTheLossesOfThreads) {
  ASSERT_EQ(run(flags("--steps 6 --backend reference --grid 2x1x1x2 " + out("threads"))).exit_code,
            0);
  const Outcome first =
      run(flags("--steps 6 --save-every 3 --grid 2x1x1x2 " + out("processes")), mpirun(4));
  ASSERT_EQ(first.exit_code, 0) << first.output;
  // A resumed run of two processes repeats the last steps.
  std::filesystem::remove_all(checkpoint_path(path("processes"), 6));
  const auto all = losses("processes");
  const Outcome resumed =
      run(flags("--steps 6 --grid 1x1x2x1 --resume " + out("processes")), mpirun(2));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.output;
  const auto threads = losses("threads"), repeated = losses("processes");
  ASSERT_EQ(repeated.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(all[i], threads[i], 1e-5 * threads[i]);
    EXPECT_NEAR(repeated[i], threads[i], 1e-5 * threads[i]);
  }
}

TEST_F(ProgramTest, ErrorsUnderMpirunAreToldOnceAndStopAll) {
  const Outcome outcome = run(flags("--steps 6 --grid 4x1x1x1"), mpirun(2));
  EXPECT_EQ(outcome.exit_code, 2);
  const std::string message = "heads 2 is not divisible by grid.x 4";
  const std::size_t found = outcome.output.find(message);
  ASSERT_NE(found, std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find(message, found + 1), std::string::npos) << outcome.output;
}

TEST_F(ProgramTest, DivergenceOfProcessesStopsAllWithOneMessage) {
  const Outcome outcome = run(
      flags("--steps 50 --lr 1e38 --min-lr 1e38 --warmup 0 --clip 0 --grid 1x1x1x2"), mpirun(2));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("training has diverged; no checkpoint was saved"));
}

TEST_F(ProgramTest, KeepsTheLatestCheckpoints) {
  ASSERT_EQ(run(flags("--steps 8 --save-every 2 --keep 2 " + out("run"))).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path("run") / "step-00000004"));
  EXPECT_TRUE(std::filesystem::exists(path("run") / "step-00000006"));
  EXPECT_TRUE(std::filesystem::exists(path("run") / "step-00000008"));
}

TEST_F(ProgramTest, DivergenceStopsWithTheLastCheckpointIntact) {
  const Outcome outcome =
      run(flags("--steps 50 --save-every 1 --keep 100 --lr 1e38 --min-lr 1e38 --warmup 0 --clip 0 "
                "--weight-decay 0 " +
                out("run")));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("training has diverged"));
  EXPECT_THAT(outcome.output, HasSubstr("is intact"));
  EXPECT_TRUE(latest_checkpoint(path("run")));
}

TEST_F(ProgramTest, ExportsAndStartsFromWeights) {
  ASSERT_EQ(run(flags("--steps 3 " + out("run"))).exit_code, 0);
  const auto weights = path("w.safetensors");
  ASSERT_EQ(
      run(fmt::format("export --checkpoint {} --file {}", path("run").string(), weights.string()))
          .exit_code,
      0);
  EXPECT_EQ(SafetensorsFile(weights).at("h.0.attn.c_attn.weight").shape, (Shape{16, 48}));
  ASSERT_EQ(
      run(flags(fmt::format("--steps 0 --init {} {}", weights.string(), out("again")))).exit_code,
      0);
  ASSERT_EQ(run(fmt::format("export --checkpoint {} --file {}", path("again").string(),
                            path("w2.safetensors").string()))
                .exit_code,
            0);
  const SafetensorsFile first(weights), second(path("w2.safetensors"));
  EXPECT_EQ(crc32_of(first.file_bytes()), crc32_of(second.file_bytes()));
}

TEST_F(ProgramTest, ProfileHasTheSimulatorsKeys) {
  const Outcome outcome =
      run(flags("--steps 2 --backend reference --grid 2x1x1x1 --profile " + out("run")));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("gemm"));
  EXPECT_THAT(outcome.output, HasSubstr("all_reduce x"));
  std::ifstream stream(path("run") / "profile.json");
  const auto profile = nlohmann::json::parse(stream);
  for (const char* key : {"step_time_s", "tokens_per_s", "time_per_gpu", "kernels"})
    EXPECT_TRUE(profile.contains(key));
  const auto& collectives = profile["time_per_gpu"]["collectives"];
  EXPECT_EQ(collectives[0]["kind"], "all_reduce");
}

TEST_F(ProgramTest, TrainsOnTheLicenceTextsOfTheSystem) {
  if (!std::filesystem::exists("/usr/share/common-licenses")) GTEST_SKIP() << "not a Debian system";
  const Outcome outcome =
      run(fmt::format("--model {} --data /usr/share/common-licenses --steps 1 --peak-tflops 1",
                      path("tiny.json").string()));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST_F(ProgramTest, QuietPrintsNothing) {
  EXPECT_EQ(run(flags("--steps 1 --quiet")).output, "");
}

TEST_F(ProgramTest, HelpExplainsAndSucceeds) {
  for (const char* command :
       {"help", "--help", "train --help", "generate --help", "export --help"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_THAT(outcome.output, HasSubstr("fourfold-train")) << command;
  }
}

TEST_F(ProgramTest, BadUsageEndsWithCode2AndTheRemedy) {
  ASSERT_EQ(run(flags("--steps 1 " + out("used"))).exit_code, 0);
  directory_.file("short.txt", "abc");
  const struct {
    std::string arguments, message;
  } kCases[] = {
      {"", "no command given"},
      {"trian", "did you mean \"train\"?"},
      {flags("--steps 1 --gird 1x1x1x1"), "did you mean \"--grid\"?"},
      {flags(), "--steps is missing"},
      {flags("--steps ten"), "--steps ten: is not a whole number"},
      {flags("--steps 1 --lr fast"), "--lr fast: is not a number"},
      {flags("--steps 1 --lr 1e-3 --min-lr 1e-2"), "--min-lr 1e-2: must be from 0 to 0.001"},
      {flags("--steps 1 --dropout 1"), "--dropout 1: must be from 0 to 0.99"},
      {flags("--steps 1 --grid 3x1x1x1"), "heads 2 is not divisible by grid.x 3"},
      {flags("--steps 1 --seq 17"), "sequence length 17 is outside 1 ... 16"},
      {flags("--steps 1 --backend gpu"), "unknown backend \"gpu\""},
      {flags("--steps 1 --resume"), "--resume needs --out"},
      {flags("--steps 1 --eval-every 1 --validation-fraction 0"), "--eval-every needs"},
      {flags("--steps 1 --grid 2x1x1x1"), "has 2 ranks, but there are 1 processes"},
      {flags("--steps 1 --metrics /proc/x/y"), "--metrics /proc/x/y: cannot be written"},
      {flags("--steps 1 --init missing.safetensors"), "there is no such file"},
      {flags("--steps 2 " + out("used")), "add --resume to continue it"},
      {flags("--steps 2 --resume --seed 2 " + out("used")), "was made with --seed 1, now it is 2"},
      {flags("--steps 2 --resume --seq 8 " + out("used")), "was made with --seq 16, now it is 8"},
      {"--model gpt-nan --data x --steps 1", "did you mean \"gpt-nano\"?"},
      {"--model gpt-nano --steps 1", "--data is missing"},
      {"--model gpt-nano --data missing.txt --steps 1", "there is no such file"},
      {fmt::format("--model gpt-nano --data {} --steps 1", path("short.txt").string()),
       "needs at least 129"},
      {flags("--steps 1 --metrics-tokens"), "--metrics-tokens needs"},
      {"generate --prompt x", "--checkpoint is missing"},
      {fmt::format("generate --checkpoint {} --prompt x", path("nothing").string()),
       "there is no checkpoint"},
      {fmt::format("generate --checkpoint {} --prompt ''", path("used").string()),
       "the prompt is empty"},
      {fmt::format("export --checkpoint {} --file {}", path("used").string(),
                   path("text.txt").string()),
       "exists"},
  };
  for (const auto& test : kCases) {
    const Outcome outcome = run(test.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << test.arguments << "\n" << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(test.message)) << test.arguments;
  }
}

}  // namespace
}  // namespace fourfold::test
