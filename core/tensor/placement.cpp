#include "core/tensor/placement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/math.hpp"

namespace fourfold {
namespace {

std::string axes_name(AxisSet axes) { return "grid." + name_of(axes); }

}  // namespace

Shape local_block(const Shape& global, const Placement& placement, const Grid& grid, std::string_view name) {
  const std::int64_t part = divide_exactly(global.at(1), fmt::format("{} columns", name), placement.column_parts, "parts");
  const std::int64_t rows = divide_exactly(global.at(0), fmt::format("{} rows", name), grid.size(placement.rows),
                                           axes_name(placement.rows));
  const std::int64_t columns = divide_exactly(part, fmt::format("{} columns", name), grid.size(placement.columns),
                                              axes_name(placement.columns));
  return {rows, columns * placement.column_parts};
}

std::int64_t shard_elements(const Shape& global, const Placement& placement, const Grid& grid, std::string_view name) {
  return divide_exactly(element_count(local_block(global, placement, grid, name)),
                        fmt::format("{} elements per rank", name), grid.size(placement.flat), axes_name(placement.flat));
}

int replicas(const Placement& placement, const Grid& grid) {
  return grid.size(kTensorAxes) / grid.size(placement.rows | placement.columns | placement.flat);
}

std::vector<ShardRun> shard_runs(const Shape& global, const Placement& placement, const Grid& grid, int rank) {
  const Shape block = local_block(global, placement, grid, "tensor");
  const std::int64_t shard = element_count(block) / grid.size(placement.flat);
  const std::int64_t shard_begin = grid.index_in_group(rank, placement.flat) * shard;
  const std::int64_t first_row = grid.index_in_group(rank, placement.rows) * block[0];
  const std::int64_t part_columns = block[1] / placement.column_parts;
  const std::int64_t first_column = grid.index_in_group(rank, placement.columns) * part_columns;
  const std::int64_t global_part = global[1] / placement.column_parts;

  std::vector<ShardRun> runs;
  for (std::int64_t local = 0; local < shard;) {
    const std::int64_t position = shard_begin + local;  // in the flattened block
    const std::int64_t row = position / block[1];
    const std::int64_t column = position % block[1];
    const std::int64_t part = column / part_columns;
    const std::int64_t in_part = column % part_columns;
    const std::int64_t count = std::min(part_columns - in_part, shard - local);
    runs.push_back({local, (first_row + row) * global[1] + part * global_part + first_column + in_part, count});
    local += count;
  }
  return runs;
}

}  // namespace fourfold
