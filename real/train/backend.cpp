#include "real/train/backend.hpp"

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "real/reference/run_ranks.hpp"

namespace fourfold::real {

std::vector<std::string> backend_names() {
  return {"reference"};
}

void run_on_backend(const std::string& backend, const Grid& grid,
                    const std::function<void(RankContext&)>& program) {
  if (backend == "reference") {
    run_ranks(grid, program);
    return;
  }
  throw ConfigError(unknown_name_message("backend", backend, backend_names()));
}

}  // namespace fourfold::real
