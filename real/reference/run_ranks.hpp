#pragma once

#include <functional>
#include <vector>

#include "core/backend/rank_context.hpp"
#include "real/reference/device.hpp"

namespace fourfold::real {

/// Runs `program` on every rank of `grid`, each a fiber of the calling thread, and the work that it has issued. Returns the
/// memory account of every rank. When a rank throws, all ranks stop and the first exception is thrown.
std::vector<MemoryAccount> run_ranks(const Grid& grid,
                                     const std::function<void(RankContext&)>& program,
                                     const ReferenceOptions& options = {});

}  // namespace fourfold::real
