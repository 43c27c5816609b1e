#pragma once

#include <cstddef>
#include <span>

#include "core/backend/collective.hpp"
#include "real/cpu/kernels.hpp"

namespace fourfold::real::cpu {

/// The arithmetic of a reduction: output = reduction over members of `count` elements, in the order of `members`, in
/// fp32 (fp64 for fp64) and rounded once at the end. Output may be one of the members.
/// Throws ShapeError for integers.
void reduce_members(DType dtype, Reduction reduction, std::span<const std::byte* const> members,
                    std::int64_t count, std::byte* output, CpuEngine& engine);

}  // namespace fourfold::real::cpu
