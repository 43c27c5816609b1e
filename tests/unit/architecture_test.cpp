// The dependency arrow is sim -> core <- real: nothing in core knows a simulator, a network or an accelerator library.

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace {

TEST(Architecture, CoreIncludesNoBackend) {
  const std::regex forbidden(R"(^\s*#\s*include\s*[<"](simgrid|xbt|smpi|mpi|omp|cblas|cuda|cublas|cudnn|nccl|sim/|real/).*)");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FOURFOLD_SOURCE_DIR "/core")) {
    const std::string extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cpp") continue;
    ++files;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      EXPECT_FALSE(std::regex_match(line, forbidden)) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(files, 50);
}

}  // namespace
