#pragma once
// Collectives as values. Semantics and buffer sizes are NCCL's.

#include <string_view>

#include "core/grid/axis.hpp"
#include "core/grid/grid.hpp"
#include "core/tensor/tensor.hpp"

namespace fourfold {

enum class CollectiveKind : std::uint8_t { all_reduce, all_gather, reduce_scatter, broadcast };
std::string_view name_of(CollectiveKind kind);

enum class Reduction : std::uint8_t { sum, max };

/// all_reduce: output (n) = reduction over the group of input (n); input and output may be the same tensor.
/// all_gather: output (p n) = the members' inputs (n) in group order.
/// reduce_scatter: output (n) = member i's part of the reduction of the inputs (p n).
/// broadcast: output (n) = input (n) of the first member.
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  AxisSet group;  ///< the process group of the calling rank along these axes
  Tensor input, output;
  Reduction reduction = Reduction::sum;
};

/// Bytes of the full (larger) buffer, the size S by which NCCL and nccl-tests describe a collective.
Bytes full_bytes(const Collective& collective);

/// Bytes that each of the p members sends in a ring: (p-1)/p S for all_gather and reduce_scatter, twice that for
/// all_reduce (paper, Eqs 1-5), S for broadcast.
double ring_bytes_per_rank(CollectiveKind kind, Bytes full_bytes, int group_size);

/// Steps of that ring, in each of which every member sends one piece: p - 1, twice that for all_reduce.
int ring_step_count(CollectiveKind kind, int group_size);

}  // namespace fourfold
