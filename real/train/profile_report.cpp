#include "real/train/profile_report.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

using Json = nlohmann::ordered_json;

struct Line {
  std::string name;
  double count;
  Seconds busy;
  std::string rate;
};

/// All operations of a step, the longest first.
std::vector<Line> lines_of(const Profiler& profiler) {
  const auto steps = static_cast<double>(profiler.steps());
  std::vector<Line> lines;
  for (const auto& [name, kernel] : profiler.kernels()) {
    lines.push_back({name, static_cast<double>(kernel.count) / steps, kernel.busy / steps,
                     kernel.flops > 0
                         ? fmt::format("{:.2f} GFLOP/s", kernel.flops / kernel.busy / kGiga)
                         : ""});
  }
  for (const auto& [key, collective] : profiler.collectives()) {
    lines.push_back({fmt::format("{} {}", name_of(key.first), name_of(key.second)),
                     static_cast<double>(collective.count) / steps, collective.busy / steps,
                     fmt::format("{:.3f} GB/s", collective.sent_bytes / collective.busy / kGiga)});
  }
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.busy > b.busy; });
  return lines;
}

Seconds total(const std::vector<Line>& lines) {
  Seconds sum = 0;
  for (const Line& line : lines) sum += line.busy;
  return sum;
}

Json kernels_json(const Profiler& profiler) {
  const auto steps = static_cast<double>(profiler.steps());
  Json kernels = Json::array();
  for (const auto& [name, kernel] : profiler.kernels()) {
    kernels.push_back({{"name", name},
                       {"count", static_cast<double>(kernel.count) / steps},
                       {"busy_s", kernel.busy / steps},
                       {"TFLOP", kernel.flops / steps / kTera}});
  }
  return kernels;
}

/// Operations are timed one by one, so all communication is exposed.
Json collectives_json(const Profiler& profiler) {
  const auto steps = static_cast<double>(profiler.steps());
  Json collectives = Json::array();
  for (const auto& [key, collective] : profiler.collectives()) {
    collectives.push_back({{"kind", name_of(key.first)},
                           {"axes", name_of(key.second)},
                           {"count", static_cast<double>(collective.count) / steps},
                           {"sent_GB", collective.sent_bytes / steps / kGiga},
                           {"busy_s", collective.busy / steps},
                           {"exposed_s", collective.busy / steps},
                           {"overlapped_s", 0.0}});
  }
  return collectives;
}

}  // namespace

std::string profile_table(const Profiler& profiler) {
  const std::vector<Line> lines = lines_of(profiler);
  const Seconds sum = total(lines);
  std::string table =
      fmt::format("\none step of rank 0, operations one by one (mean of {})\n", profiler.steps());
  table += fmt::format("{:<32} {:>8} {:>12} {:>7}  {}\n", "operation", "count", "time (ms)",
                       "share", "rate");
  for (const Line& line : lines) {
    table += fmt::format("{:<32} {:>8.0f} {:>12.3f} {:>5.1f} %  {}\n", line.name, line.count,
                         1e3 * line.busy, 100 * line.busy / sum, line.rate);
  }
  return table + fmt::format("{:<32} {:>8} {:>12.3f}\n", "all", "", 1e3 * sum);
}

void write_profile(const Profiler& profiler, double tokens_per_step,
                   const std::filesystem::path& file) {
  Seconds compute = 0;
  for (const auto& [name, kernel] : profiler.kernels())
    compute += kernel.busy / static_cast<double>(profiler.steps());
  const Seconds step_time = total(lines_of(profiler));
  const Json json = {
      {"step_time_s", step_time},
      {"tokens_per_s", tokens_per_step / step_time},
      {"time_per_gpu", {{"compute_s", compute}, {"collectives", collectives_json(profiler)}}},
      {"kernels", kernels_json(profiler)}};
  std::ofstream stream(file);
  stream << json.dump(2) << '\n';
  if (!stream.flush()) throw Error(fmt::format("\"{}\": write failed", file.string()));
}

}  // namespace fourfold::real
