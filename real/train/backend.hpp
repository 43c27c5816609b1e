#pragma once
// Where a rank's program runs: the one place that knows the backends by name.

#include <functional>

#include "core/backend/rank_context.hpp"
#include "core/base/units.hpp"
#include "core/cli/arguments.hpp"

namespace fourfold::real {

enum class BackendKind : std::uint8_t {
  reference,  ///< ranks take turns in this process
  cpu         ///< ranks are processes that mpirun or srun has started
};
/// Throws ConfigError.
BackendKind parse_backend(std::string_view text);
std::string_view name_of(BackendKind kind);

struct BackendOptions {
  BackendKind kind = BackendKind::cpu;
  // on cpu
  int threads = 1;                 ///< of a rank
  bool check_collectives = false;  ///< see MpiOptions
  Seconds stall_limit = 600;       ///< see CpuOptions
};

/// The flags --backend, --threads, --check-collectives and --stall-limit.
void add_backend_options(boost::program_options::options_description& options);
BackendOptions read_backend_options(const Arguments& arguments);

/// Runs `program` on every rank of `grid`. When it fails on one, all are stopped: on `reference` by an exception, the
/// first that any rank has thrown; on `cpu` the message is printed and all processes end. Throws ConfigError unless the
/// launcher has started as many processes as the backend needs.
void run_on_backend(const BackendOptions& options, const Grid& grid,
                    const std::function<void(RankContext&)>& program);

}  // namespace fourfold::real
