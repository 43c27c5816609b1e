#include "core/backend/collective.hpp"

#include <algorithm>

#include "core/backend/stream.hpp"

namespace fourfold {

std::string_view name_of(Stream stream) {
  switch (stream) {
    case Stream::compute: return "compute";
    case Stream::comm_x: return "comm_x";
    case Stream::comm_y: return "comm_y";
    case Stream::comm_z_gather: return "comm_z_gather";
    case Stream::comm_z_scatter: return "comm_z_scatter";
    case Stream::comm_data: return "comm_data";
  }
  return "?";
}

std::string_view name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce: return "all_reduce";
    case CollectiveKind::all_gather: return "all_gather";
    case CollectiveKind::reduce_scatter: return "reduce_scatter";
    case CollectiveKind::broadcast: return "broadcast";
  }
  return "?";
}

Bytes full_bytes(const Collective& collective) {
  return std::max(collective.input.bytes(), collective.output.bytes());
}

double ring_bytes_per_rank(CollectiveKind kind, Bytes full_bytes, int group_size) {
  const double size = static_cast<double>(full_bytes);
  const double share = static_cast<double>(group_size - 1) / group_size;
  switch (kind) {
    case CollectiveKind::all_reduce: return 2.0 * share * size;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter: return share * size;
    case CollectiveKind::broadcast: return group_size > 1 ? size : 0.0;
  }
  return 0.0;
}

int ring_step_count(CollectiveKind kind, int group_size) {
  return kind == CollectiveKind::all_reduce ? 2 * (group_size - 1) : group_size - 1;
}

}  // namespace fourfold
