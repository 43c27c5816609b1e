#include "real/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/checkpoint/ownership.hpp"

namespace fourfold::real {
namespace {

/// A stretch of a flattened parameter and where it is stored.
struct Segment {
  std::int64_t global, count;
  int rank;
  std::int64_t local;  // in the shard of `rank`
};

/// All stretches, in the order of their global positions; together they cover the parameter once.
std::vector<Segment> segments_of(const StoredParameter& parameter, const Grid& grid) {
  std::vector<Segment> segments;
  for (int rank = 0; rank < grid.world_size(); ++rank) {
    if (!owns(parameter.placement, grid, rank)) continue;
    for (const ShardRun& run : shard_runs(parameter.shape, parameter.placement, grid, rank)) {
      segments.push_back({run.global, run.count, rank, run.local});
    }
  }
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.global < b.global; });
  return segments;
}

/// Calls visit(rank, begin in its shard, begin in the result, count) for every piece of `runs`.
template <typename Visit>
void for_each_piece(const std::vector<Segment>& segments, const std::vector<ShardRun>& runs,
                    Visit visit) {
  std::int64_t done = 0;
  for (const ShardRun& run : runs) {
    const auto behind = std::upper_bound(
        segments.begin(), segments.end(), run.global,
        [](std::int64_t global, const Segment& segment) { return global < segment.global; });
    auto segment = behind - 1;
    for (std::int64_t copied = 0; copied < run.count; ++segment) {
      const std::int64_t skipped = run.global + copied - segment->global;
      const std::int64_t count = std::min(segment->count - skipped, run.count - copied);
      visit(segment->rank, segment->local + skipped, done, count);
      copied += count;
      done += count;
    }
  }
}

}  // namespace

Checkpoint::Checkpoint(std::filesystem::path directory)
    : directory_(std::move(directory)),
      manifest_(read_manifest(directory_)),
      model_(read_model(directory_)) {
  check_sizes();
}

void Checkpoint::check_sizes() const {
  for (const auto& [rank, file] : manifest_.shards) {
    const std::filesystem::path path = directory_ / file.name;
    std::error_code error;
    const auto bytes = static_cast<Bytes>(std::filesystem::file_size(path, error));
    if (error) {
      throw ConfigError(
          fmt::format("checkpoint \"{}\": {}: {}; restore it or use another checkpoint",
                      directory_.string(), file.name, error.message()));
    }
    if (bytes != file.summary.bytes) {
      throw ConfigError(fmt::format(
          "checkpoint \"{}\": {} has {} bytes instead of {}; restore it or use another checkpoint",
          directory_.string(), file.name, bytes, file.summary.bytes));
    }
  }
}

void Checkpoint::verify(int part, int parts) const {
  int index = 0;
  for (const auto& [rank, file] : manifest_.shards) {
    if (index++ % parts != part) continue;
    const MappedFile mapped(directory_ / file.name);
    const std::uint32_t found = crc32_of(mapped.bytes());
    if (found == file.summary.crc32) continue;
    throw ConfigError(
        fmt::format("checkpoint \"{}\": {} is corrupt: its CRC-32 is {:08x} instead of {:08x}; "
                    "restore it or use another checkpoint",
                    directory_.string(), file.name, found, file.summary.crc32));
  }
}

const StoredParameter& Checkpoint::parameter(const std::string& name, const Shape& shape) const {
  for (const StoredParameter& parameter : manifest_.parameters) {
    if (parameter.name != name) continue;
    if (parameter.shape == shape) return parameter;
    throw ConfigError(
        fmt::format("checkpoint \"{}\": {} has shape {}, the model needs {}; it "
                    "belongs to another model",
                    directory_.string(), name, to_string(parameter.shape), to_string(shape)));
  }
  throw ConfigError(
      fmt::format("checkpoint \"{}\" has no parameter {}; it belongs to another model",
                  directory_.string(), name));
}

const SafetensorsFile& Checkpoint::shard(int rank) const {
  std::unique_ptr<SafetensorsFile>& file = shards_[rank];
  if (!file) {
    const auto stored = manifest_.shards.find(rank);
    if (stored == manifest_.shards.end()) {
      throw ConfigError(fmt::format("checkpoint \"{}\": the manifest lists no file of rank {}",
                                    directory_.string(), rank));
    }
    file = std::make_unique<SafetensorsFile>(directory_ / stored->second.name);
  }
  return *file;
}

Checkpoint::StateBytes Checkpoint::read(const StoredParameter& parameter,
                                        const std::vector<ShardRun>& runs) const {
  std::int64_t elements = 0;
  for (const ShardRun& run : runs) elements += run.count;
  const Bytes element_bytes = size_of(manifest_.dtype);
  const std::vector<Segment> segments = segments_of(parameter, manifest_.grid);
  StateBytes states;
  for (std::size_t i = 0; i < kStateCount; ++i) {
    std::vector<std::byte>& bytes = states[i];
    bytes.resize(static_cast<std::size_t>(elements * element_bytes));
    const std::string name = fmt::format("{}.{}", kStateNames[i], parameter.name);
    for_each_piece(
        segments, runs, [&](int rank, std::int64_t from, std::int64_t to, std::int64_t count) {
          const auto& source = shard(rank).at(name).bytes;
          if ((from + count) * element_bytes > static_cast<Bytes>(source.size())) {
            throw ConfigError(fmt::format("checkpoint \"{}\": {} of rank {} is too short",
                                          directory_.string(), name, rank));
          }
          std::memcpy(bytes.data() + to * element_bytes, source.data() + from * element_bytes,
                      static_cast<std::size_t>(count * element_bytes));
        });
  }
  return states;
}

}  // namespace fourfold::real
