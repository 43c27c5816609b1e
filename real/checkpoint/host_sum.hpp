#pragma once

#include <vector>

#include "core/backend/rank_context.hpp"

namespace fourfold::real {

/// Adds numbers of the host over all ranks, in double precision, and returns the sums when every rank has given its
/// share: also a barrier. All ranks pass equally many numbers, at least one.
std::vector<double> sum_over_ranks(RankContext& context, std::vector<double> numbers);

}  // namespace fourfold::real
