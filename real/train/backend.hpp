#pragma once
// Where a rank's program runs: the one place that knows the backends by name.

#include <functional>
#include <string>
#include <vector>

#include "core/backend/rank_context.hpp"

namespace fourfold::real {

/// "reference" (ranks as threads of this process), and what else was built.
std::vector<std::string> backend_names();

/// Runs `program` on every rank of `grid`. Throws ConfigError for an unknown backend, and the first error of any rank,
/// after which all ranks have stopped.
void run_on_backend(const std::string& backend, const Grid& grid,
                    const std::function<void(RankContext&)>& program);

}  // namespace fourfold::real
