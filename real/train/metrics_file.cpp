#include "real/train/metrics_file.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

std::vector<std::string> lines_up_to(const std::filesystem::path& path, std::int64_t step) {
  std::vector<std::string> lines;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const auto row =
        nlohmann::json::parse(line, nullptr, false);  // a killed run may leave half a line
    if (row.is_object() && row.value("step", step + 1) <= step) lines.push_back(line);
  }
  return lines;
}

}  // namespace

MetricsFile::MetricsFile(std::filesystem::path path, std::int64_t steps_done)
    : path_(std::move(path)) {
  const std::vector<std::string> kept = lines_up_to(path_, steps_done);
  if (path_.has_parent_path()) {
    std::error_code ignored;  // the failure to open the file tells
    std::filesystem::create_directories(path_.parent_path(), ignored);
  }
  stream_.open(path_, std::ios::trunc);
  for (const std::string& line : kept) stream_ << line << '\n';
  if (!stream_.flush()) {
    throw ConfigError(fmt::format("--metrics {}: cannot be written; check folder and permissions",
                                  path_.string()));
  }
}

void MetricsFile::add(const nlohmann::ordered_json& row) {
  stream_ << row.dump() << '\n';
  if (!stream_.flush())
    throw Error(fmt::format("\"{}\": write failed; is the disk full?", path_.string()));
}

}  // namespace fourfold::real
