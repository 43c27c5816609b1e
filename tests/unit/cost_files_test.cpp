// GPU and library files with one thing wrong.

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A copy of a shipped file in which the first `from` is `to`.
class ChangedCopy {
 public:
  ChangedCopy(const std::filesystem::path& original, const std::string& from,
              const std::string& to) {
    std::ostringstream text;
    text << std::ifstream(original).rdbuf();
    std::string changed = text.str();
    changed.replace(changed.find(from), from.size(), to);
    file_ = directory_.file("changed.json", changed);
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  test::TemporaryDirectory directory_;
  std::filesystem::path file_;
};

void expect_gpu_refused(const std::string& from, const std::string& to,
                        const testing::Matcher<std::string>& message) {
  const ChangedCopy copy(platforms() / "gpus/a100-sxm4-40.json", from, to);
  EXPECT_THAT([&] { read_gpu_spec(copy.file()); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr(copy.file().string()), message)));
}

TEST(GpuFile, RefusesWhatMakesNoSense) {
  expect_gpu_refused("\"multiprocessors\": 108", "\"multiprocessors\": 0",
                     HasSubstr("multiprocessors: 0 must be"));
  expect_gpu_refused("\"multiprocessors\": 108", "\"multiprocessors\": 1e10",
                     HasSubstr("multiprocessors"));
  expect_gpu_refused("\"multiprocessors\": 108", "\"multiprocesors\": 108",
                     HasSubstr("is \"multiprocesors\" a misspelling of it?"));
  expect_gpu_refused("\"bf16\": 312.0", "\"bf16\": -312",
                     HasSubstr("peak_TFLOPS: bf16: -312 must be positive"));
  expect_gpu_refused("\"elementwise\": 0.86", "\"elementwise\": 1.2", HasSubstr("between 0 and 1"));
  expect_gpu_refused("\"elementwise\": 0.86", "\"elementwise\": 0",
                     HasSubstr("memory_bound: elementwise: 0 must be greater"));
  expect_gpu_refused("\"overlap_exponent\": 2.2723", "\"overlap_exponent\": 0.5",
                     HasSubstr("must be at least 1"));
  expect_gpu_refused("\"tile_rows\": [256, ", "\"tile_rows\": [",
                     HasSubstr("as many members as tile_columns"));
  expect_gpu_refused("\"tile_rows\": [256, ", "\"tile_rows\": [-1, ",
                     HasSubstr("tiles must be positive"));
  expect_gpu_refused("\"memory_GiB\": 40.0", "\"memory_GiB\": 40e9",
                     HasSubstr("memory_GiB: is more than a million"));
  expect_gpu_refused("\"memory_GiB\"", "\"memory_GB\"", HasSubstr("memory_GiB: missing"));
}

TEST(LibraryFile, RefusesWhatMakesNoSense) {
  const std::filesystem::path original = platforms() / "libraries/nccl-slingshot.json";
  const ChangedCopy zero(original, "\"network_efficiency\": 0.609", "\"network_efficiency\": 0");
  EXPECT_THAT([&] { read_library_constants(zero.file()); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("all_gather: simple: network_efficiency: 0 must be greater")));
  const ChangedCopy unknown(original, "\"fixed_network_us\"",
                            "\"fixed_us\": 1, \"fixed_network_us\"");
  EXPECT_THAT([&] { read_library_constants(unknown.file()); },
              ThrowsMessage<ConfigError>(HasSubstr("unknown key \"fixed_us\"")));
}

}  // namespace
}  // namespace fourfold
