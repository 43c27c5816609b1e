// Report writers on hand-made results, with the sums beside them.

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "sim/report/chrome_trace.hpp"
#include "sim/report/csv_report.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/step_flops.hpp"
#include "sim/report/terminal_report.hpp"
#include "sim/report/text_table.hpp"
#include "tests/support/temporary_directory.hpp"

namespace fourfold::sim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// A step of 2 s on 4 GPUs of 1 PFLOP/s: 1.2 s of kernels, 0.3 s + 0.4 s exposed, 0.1 s of other waiting.
RunReport sample_report() {
  RunReport report;
  report.setup.model.name = "tiny, \"odd\"";
  report.setup.model.layers = 2;
  report.setup.model.hidden = 8;
  report.setup.model.heads = 2;
  report.setup.model.sequence = 16;
  report.setup.model.vocabulary = 32;
  report.setup.train.grid = Grid(2, 1, 2, 1);
  report.setup.train.batch = 8;
  report.setup.train.sequence = 16;
  report.setup.train.micro_batch = 2;
  report.setup.machine = "toy";
  report.setup.gpu = "toy gpu";
  report.setup.peak_flops = 1e15;
  report.setup.empirical_peak_flops = 0.8e15;
  report.setup.gpu_memory = Bytes{3} << 30;
  report.hardware_flops = {4e15, 4e15};
  report.model_flops = {3e15, 3e15};
  report.memory.peak[0] = Bytes{1} << 30;
  report.memory.peak[3] = Bytes{1} << 29;
  report.memory.peak_place = "backward/block 1";
  report.ranges = {"", "forward/block 0"};

  SimulationResult& result = report.result;
  result.step_time = 2.0;
  result.compute_busy = 1.2;
  result.compute_idle = 0.8;
  result.kernels = {{"gemm", 10, 1.0, 0.9e15}, {"fill", 1, 0.001, 0}};
  result.collectives = {{CollectiveKind::all_reduce, Axis::x, 5, 2e9, 0.5, 0.3},
                        {CollectiveKind::all_reduce, Axis::x | Axis::y, 1, 1e3, 0.4, 0.4}};
  result.link_classes = {{"nic", 8, 4e9, 0.5}};
  result.busiest_links = {{"nic-0-up", "nic", 1e9, 0.5}};
  result.timeline = {{3, Stream::compute, "gemm", 1, 0.5, 0.75},
                     {3, Stream::comm_x, "all_reduce x", 1, 0.75, 1.0}};
  return report;
}

TEST(TextTable, AlignsTheFirstColumnLeftAndTheOthersRight) {
  TextTable table({"name", "n"});
  table.add_row({"a", "1"});
  table.add_row({"longer", "1,000"});
  EXPECT_EQ(table.to_string(),
            "  name        n\n"
            "  -------------\n"
            "  a           1\n"
            "  longer  1,000\n");
}

TEST(TextTable, GroupsDigitsByThree) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-123456), "-123,456");
  EXPECT_EQ(grouped(16777216), "16,777,216");
}

TEST(StepFlops, LeavesOutWhatIsComputedTwice) {
  const auto matrix = [](std::int64_t rows, std::int64_t columns) {
    return Tensor{{rows, columns}, {}, {}, 0};
  };
  Gemm gemm;  // 2 x 3 x 5 multiply-adds = 60 FLOPs
  gemm.a = matrix(2, 5);
  gemm.b = matrix(5, 3);
  gemm.c = matrix(2, 3);
  AttentionBackward
      attention;  // 5 products of 2 x 4 tokens x 4 keys x (2 heads x 3) = 5 x 192 FLOPs
  attention.output = matrix(4, 6);
  attention.heads = 2;
  attention.head_dim = 3;
  attention.sequence = 4;
  StepProgram program;
  program.ranges = {"forward/block 0", "backward/block 0/recompute/mlp",
                    "backward/block 0/attention"};
  program.ops = {{KernelOp{Stream::compute, gemm}, 0},
                 {KernelOp{Stream::compute, gemm}, 1},
                 {KernelOp{Stream::compute, attention}, 2}};
  const RunSetup setup = sample_report().setup;  // 4 GPUs
  EXPECT_DOUBLE_EQ(hardware_flops(setup, program).counted, 4 * (60 + 60 + 5 * 192));
  EXPECT_DOUBLE_EQ(model_flops(setup, program).counted, 4 * (60 + 4 * 192));
}

TEST(RunReport, SharesAndRates) {
  const RunReport report = sample_report();
  EXPECT_DOUBLE_EQ(report.tokens_per_second(), 64);         // 8 x 16 tokens / 2 s
  EXPECT_DOUBLE_EQ(report.share_of_peak(4e15, 1e15), 0.5);  // 4e15 / (2 s x 4 x 1e15)
  EXPECT_NEAR(report.other_idle(), 0.1, 1e-12);             // 2 - 1.2 - 0.3 - 0.4
  EXPECT_TRUE(fits(report.memory, Bytes{3} << 29));         // 1 + 0.5 GiB
  EXPECT_FALSE(fits(report.memory, (Bytes{3} << 29) - 1));
}

TEST(JsonReport, HoldsTheNumbersInTheUnitsOfTheirKeys) {
  const json report = json::parse(json_report(sample_report()));
  EXPECT_EQ(report["setup"]["model"], "tiny, \"odd\"");
  EXPECT_EQ(report["setup"]["grid"]["z"], 2);
  EXPECT_EQ(report["setup"]["micro_batches"], 2);  // 8 sequences / 2 ranks along z / 2
  EXPECT_DOUBLE_EQ(report["hardware_flops"]["counted"]["rate_PFLOPS"], 2);
  EXPECT_DOUBLE_EQ(report["hardware_flops"]["counted"]["percent_of_peak"], 50);
  EXPECT_DOUBLE_EQ(report["model_flops"]["formula"]["percent_of_empirical_peak"],
                   46.875);  // 3 / (2 x 4 x 0.8)
  EXPECT_DOUBLE_EQ(report["memory_per_gpu"]["peak_GiB"]["total"], 1.5);
  EXPECT_DOUBLE_EQ(report["time_per_gpu"]["collectives"][0]["sent_GB"], 2);
  EXPECT_DOUBLE_EQ(report["time_per_gpu"]["collectives"][0]["overlapped_s"], 0.2);
  EXPECT_DOUBLE_EQ(report["network"]["busiest_links"][0]["use_percent"], 50);
}

TEST(CsvReport, QuotesAndAddsUp) {
  const std::string row = csv_row(sample_report());
  EXPECT_THAT(row, HasSubstr("\"tiny, \"\"odd\"\"\",toy,4,2x1x2x1,xyzd,8,16,2,"));
  // step, compute, x busy and exposed, y, z, data, other: 2 = 1.2 + 0.3 + 0.5, both other parts together.
  EXPECT_THAT(row, HasSubstr(",2,1.2,0.5,0.3,0,0,0,0,0,0,0.5,64,2,1.5,50,37.5,1.5,"));
}

TEST(CsvReport, EndsWithWhatGoesWrong) {
  EXPECT_THAT(csv_header(),
              testing::EndsWith(",disturbances,disturbances_cost_alone_s,disturbances_cost_s\n"));
  RunReport report = sample_report();
  EXPECT_THAT(csv_row(report), testing::EndsWith(",,,0\n"));
  report.undisturbed_step_time = 1.5;
  report.disturbances = {{"rank 3 at 0.8 of its speed", 1.75}, {"link nic-1 failed", 1.625}};
  EXPECT_THAT(
      csv_row(report),
      testing::EndsWith(",rank 3 at 0.8 of its speed; link nic-1 failed,0.25; 0.125,0.5\n"));
}

TEST(TerminalReport, HoldsTheTables) {
  const std::string text = terminal_report(sample_report());
  EXPECT_THAT(text, HasSubstr("Step time 2.0000 s, 64 tokens/s"));
  EXPECT_THAT(text, HasSubstr("grid 2x1x2x1 = x, y, z, data"));
  EXPECT_THAT(text, HasSubstr("all_reduce x+y"));
  EXPECT_THAT(text, HasSubstr("peak reached in: backward/block 1"));
  EXPECT_THAT(text, HasSubstr("others"));  // fill: 0.1 % of the computation
}

TEST(ChromeTrace, HasAProcessForTheRankAndThreadsForItsStreams) {
  const json trace = json::parse(chrome_trace(sample_report()));
  std::vector<json> complete;
  for (const json& event : trace["traceEvents"]) {
    EXPECT_EQ(event["pid"], 3);
    if (event["ph"] == "X") complete.push_back(event);
  }
  ASSERT_EQ(complete.size(), 2U);
  EXPECT_EQ(complete[0]["name"], "gemm");
  EXPECT_DOUBLE_EQ(complete[0]["ts"], 500000);  // 0.5 s in microseconds
  EXPECT_DOUBLE_EQ(complete[0]["dur"], 250000);
  EXPECT_EQ(complete[0]["args"]["range"], "forward/block 0");
  EXPECT_NE(complete[0]["tid"], complete[1]["tid"]);
}

class OutputFiles : public testing::Test {
 protected:
  std::string content(const fs::path& path) const {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const test::TemporaryDirectory directory_;
  const fs::path& folder_ = directory_.path();
};

TEST_F(OutputFiles, CheckingLeavesNoTraceAndWritingReplaces) {
  const OutputFile file("json", folder_ / "r.json");
  EXPECT_TRUE(fs::is_empty(folder_));
  file.write("first");
  file.write("second");
  EXPECT_EQ(content(folder_ / "r.json"), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(OutputFiles, RefusesPlacesThatCannotBeWritten) {
  EXPECT_THROW(OutputFile("json", folder_), ConfigError);
  EXPECT_THROW(OutputFile("json", folder_ / "absent" / "r.json"), ConfigError);
  EXPECT_THROW(OutputFile("json", "/proc/fourfold"), ConfigError);
  EXPECT_THROW(OutputFile("json", ""), ConfigError);
}

TEST_F(OutputFiles, CsvFileGrowsByOneRowARun) {
  const CsvFile file("csv", folder_ / "r.csv");
  file.append(sample_report());
  file.append(sample_report());
  EXPECT_EQ(content(folder_ / "r.csv"),
            csv_header() + csv_row(sample_report()) + csv_row(sample_report()));
}

}  // namespace
}  // namespace fourfold::sim
