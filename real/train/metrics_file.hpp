#pragma once
// One JSON object a line (JSON Lines), readable while the run goes on.

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace fourfold::real {

class MetricsFile {
 public:
  /// Keeps the lines up to step `steps_done` of a run that is resumed, so that no step appears twice; begins anew for
  /// step 0. Throws ConfigError if the file cannot be written.
  MetricsFile(std::filesystem::path path, std::int64_t steps_done);

  /// Throws Error if the disk is full.
  void add(const nlohmann::ordered_json& row);

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace fourfold::real
