#include "core/analytic/bandwidth_table.hpp"

#include <algorithm>
#include <limits>

#include "core/base/json_reader.hpp"

namespace fourfold {
namespace {

int read_size(JsonObject& file, const std::string& key) {
  const std::int64_t size = file.positive_integer(key);
  if (size > std::numeric_limits<int>::max()) file.fail(key, "is larger than any machine");
  return static_cast<int>(size);
}

BandwidthTable::InNode read_entry(JsonObject entry, int gpus_per_node) {
  BandwidthTable::InNode in_node;
  in_node.inner = read_size(entry, "inner");
  in_node.group = read_size(entry, "group");
  in_node.bandwidth = entry.positive_number("bandwidth_GiBps") * kGiB;
  entry.finish();
  if (in_node.inner > gpus_per_node / in_node.group) {
    entry.fail("group", "inner x group must not exceed gpus_per_node");
  }
  return in_node;
}

}  // namespace

BytesPerSecond BandwidthTable::of(int inner, int group) const {
  const bool crosses_nodes = inner > gpus_per_node / group;
  if (crosses_nodes) return inter_node / std::min(gpus_per_node, inner);
  const InNode* best = &in_node.front();
  for (const InNode& entry : in_node) {
    const bool is_below = entry.inner <= inner && entry.group <= group;
    const bool is_nearer =
        std::pair(entry.inner, entry.group) > std::pair(best->inner, best->group);
    if (is_below && is_nearer) best = &entry;
  }
  return best->bandwidth;
}

BandwidthTable read_bandwidth_table(const std::filesystem::path& path) {
  JsonObject file = read_json(path);
  BandwidthTable table;
  table.name = file.string("name");
  table.gpus_per_node = read_size(file, "gpus_per_node");
  table.inter_node = file.positive_number("inter_node_GiBps") * kGiB;
  for (JsonObject& entry : file.objects("in_node")) {
    table.in_node.push_back(read_entry(std::move(entry), table.gpus_per_node));
  }
  if (table.in_node.empty()) file.fail("in_node", "needs at least one entry");
  file.finish();
  return table;
}

}  // namespace fourfold
