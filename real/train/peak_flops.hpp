#pragma once
// What 100 % means in "MFU".

#include <optional>

#include "core/backend/rank_context.hpp"

namespace fourfold::real {

/// FLOP/s of all ranks together: `given` for each, or what a large matrix product reaches on every rank while all
/// others do the same. Called by all ranks.
double job_peak_flops(RankContext& context, DType dtype, std::optional<double> given);

}  // namespace fourfold::real
