// Statistics and files of `fourfold-sim validate`.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "sim/validate/error_summary.hpp"
#include "sim/validate/measured_table.hpp"
#include "tests/support/temporary_directory.hpp"

namespace fourfold::sim {
namespace {

Comparison row(double measured, double predicted, double ideal, const std::string& part = "a",
               const std::string& contest = "") {
  return {part, contest, "", measured, predicted, ideal};
}

TEST(Percentile, InterpolatesBetweenSortedValues) {
  EXPECT_DOUBLE_EQ(percentile({30, 10, 20}, 0.5), 20);
  EXPECT_DOUBLE_EQ(percentile({10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, 0.9), 91);  // 90 + .1 x 10
  EXPECT_DOUBLE_EQ(percentile({7}, 0.9), 7);
}

// Errors +10 %, -20 %, +30 %: median of sizes 20 %, of signed ones +10 %. Efficiencies ideal / measured 0.5, 0.5, 0.25:
// median 0.5, so the baseline predicts 1, 2 and 2 instead of 4: errors 0, 0, 50 %.
TEST(ErrorSummary, SummarisesErrorsAndBaseline) {
  const std::vector<Comparison> rows = {row(1, 1.1, 0.5), row(2, 1.6, 1), row(4, 5.2, 1)};
  const ErrorSummary summary = summarise("a", rows);
  EXPECT_EQ(summary.rows, 3u);
  EXPECT_NEAR(summary.error.median, 0.2, 1e-12);
  EXPECT_NEAR(summary.error.largest, 0.3, 1e-12);
  EXPECT_NEAR(summary.bias, 0.1, 1e-12);
  EXPECT_NEAR(*summary.spearman, 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(summary.baseline_efficiency, 0.5);
  EXPECT_DOUBLE_EQ(summary.baseline.median, 0.0);
  EXPECT_DOUBLE_EQ(summary.baseline.largest, 0.5);
}

// In one contest the prediction prefers the row of 3 s to that of 2 s: regret 50 %; in the other it is right.
TEST(ErrorSummary, AveragesRegretOverContests) {
  const std::vector<Comparison> rows = {row(2, 9, 1, "a", "first"), row(3, 8, 1, "a", "first"),
                                        row(2, 1, 1, "a", "second"), row(3, 8, 1, "a", "second"),
                                        row(5, 5, 1, "a", "alone")};
  const ErrorSummary summary = summarise("a", rows);
  EXPECT_EQ(summary.contests, 2u);
  EXPECT_NEAR(summary.mean_regret, 0.25, 1e-12);
}

// The baseline of all rows keeps one efficiency for each part: both are hit exactly.
TEST(ErrorSummary, AddsAllPartsTogether) {
  const std::vector<ErrorSummary> summaries =
      summarise_parts({row(1, 1, 0.5, "a"), row(1, 2, 0.25, "b")});
  ASSERT_EQ(summaries.size(), 3u);
  EXPECT_EQ(summaries[2].part, "all");
  EXPECT_DOUBLE_EQ(summaries[2].error.largest, 1.0);
  EXPECT_DOUBLE_EQ(summaries[2].baseline.largest, 0.0);
}

class MeasuredTableTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& content) const {
    return directory_.file("measured.csv", content);
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(MeasuredTableTest, ReadsQuotedCells) {
  const MeasuredTable table(write("a,b\n\"x, \"\"y\"\"\",2.5\r\n"));
  ASSERT_EQ(table.rows().size(), 1u);
  EXPECT_EQ(table.rows()[0].text("a"), "x, \"y\"");
  EXPECT_DOUBLE_EQ(table.rows()[0].positive_number("b"), 2.5);
}

TEST_F(MeasuredTableTest, NamesThePlaceOfWhatIsWrong) {
  const MeasuredTable table(write("time_us,gpus\n-1,four\n"));
  const auto message = [](const auto& read) {
    try {
      read();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  const MeasuredRow& first = table.rows()[0];
  EXPECT_THAT(message([&] { first.positive_number("time_us"); }), testing::HasSubstr("line 2"));
  EXPECT_THAT(message([&] { first.positive_integer("gpus"); }), testing::HasSubstr("gpus"));
  EXPECT_THAT(message([&] { first.text("time_s"); }), testing::HasSubstr("time_us"));
}

TEST_F(MeasuredTableTest, RefusesShortLinesAndMissingFiles) {
  EXPECT_THROW(MeasuredTable(write("a,b\n1\n")), ConfigError);
  EXPECT_THROW(MeasuredTable("no such file"), ConfigError);
}

}  // namespace
}  // namespace fourfold::sim
