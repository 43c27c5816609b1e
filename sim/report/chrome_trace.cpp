#include "sim/report/chrome_trace.hpp"

#include <set>

#include <nlohmann/json.hpp>

namespace fourfold::sim {
namespace {

using Json = nlohmann::ordered_json;

int thread_of(Stream stream) {
  return static_cast<int>(stream);
}

/// Names a process or a thread of the trace.
Json naming(std::string_view what, int rank, int thread, std::string_view name) {
  return {{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json complete_event(const Interval& interval, const std::vector<std::string>& ranges) {
  return {{"ph", "X"},
          {"name", interval.name},
          {"cat", name_of(interval.stream)},
          {"pid", interval.rank},
          {"tid", thread_of(interval.stream)},
          {"ts", interval.begin / kMicro},
          {"dur", (interval.end - interval.begin) / kMicro},
          {"args", {{"range", ranges.at(static_cast<std::size_t>(interval.range))}}}};
}

}  // namespace

std::string chrome_trace(const RunReport& report) {
  std::set<int> ranks;
  for (const Interval& interval : report.result.timeline) ranks.insert(interval.rank);

  // One event a line: compact, yet readable and greppable.
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  std::string separator;
  const auto add = [&](const Json& event) {
    text += separator + event.dump();
    separator = ",\n";
  };
  for (const int rank : ranks) {
    add(naming("process_name", rank, 0, "rank " + std::to_string(rank)));
    for (const Stream stream : kAllStreams)
      add(naming("thread_name", rank, thread_of(stream), name_of(stream)));
  }
  for (const Interval& interval : report.result.timeline)
    add(complete_event(interval, report.ranges));
  return text + "\n]}\n";
}

}  // namespace fourfold::sim
