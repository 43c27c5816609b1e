#include "real/train/backend.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "real/mpi/run_mpi.hpp"
#include "real/reference/run_ranks.hpp"
#include "real/train/launcher.hpp"

namespace fourfold::real {
namespace {

void run_in_one_process(const Grid& grid, const std::function<void(RankContext&)>& program) {
  if (launcher_size() > 1) {
    throw ConfigError(
        "--backend reference runs all ranks in one process; start one process, or choose --backend "
        "cpu");
  }
  run_ranks(grid, program);
}

void run_as_process(const BackendOptions& options, const Grid& grid,
                    const std::function<void(RankContext&)>& program) {
  if (launcher_size() != grid.world_size()) {
    throw ConfigError(
        fmt::format("grid {} has {} ranks, but there are {} processes; start it as mpirun -n {} "
                    "fourfold-train ... (srun on clusters), or choose --backend reference",
                    grid.to_string(), grid.world_size(), launcher_size(), grid.world_size()));
  }
  run_mpi(0, nullptr, [&](const MpiWorld& world) {
    CpuRank rank(world, grid, {.threads = options.threads, .stall_limit = options.stall_limit},
                 {.check_collectives = options.check_collectives});
    RankContext context = rank.context();
    program(context);
    return 0;
  });
}

}  // namespace

BackendKind parse_backend(std::string_view text) {
  if (text == "reference") return BackendKind::reference;
  if (text == "cpu") return BackendKind::cpu;
  throw ConfigError(unknown_name_message("backend", text, {"cpu", "reference"}));
}

std::string_view name_of(BackendKind kind) {
  return kind == BackendKind::reference ? "reference" : "cpu";
}

void add_backend_options(boost::program_options::options_description& options) {
  namespace po = boost::program_options;
  options.add_options()("backend", po::value<std::string>()->value_name("NAME"),
                        "cpu (default): ranks are processes started by mpirun or srun; reference: "
                        "all ranks in one thread, slow and exact");
  options.add_options()("threads", po::value<std::string>()->value_name("N"),
                        "of each rank on the cpu backend; 1 if not given");
  options.add_options()(
      "check-collectives",
      "ranks first compare what they are about to do together, to find mismatches: "
      "costs a message each; always on in debug builds and on reference");
  options.add_options()("stall-limit", po::value<std::string>()->value_name("SECONDS"),
                        "longest wait for other ranks without progress; 600 if not given");
}

BackendOptions read_backend_options(const Arguments& arguments) {
  constexpr std::int64_t kMany = 4096;
  constexpr Seconds kLongest = 1e6;
  BackendOptions options;
  options.kind = parse_backend(arguments.text("backend", "cpu"));
  options.threads = static_cast<int>(arguments.integer("threads", {1, kMany}, 1));
  options.check_collectives = kCheckCollectives || arguments.has("check-collectives");
  options.stall_limit = arguments.number("stall-limit", {1, kLongest}, options.stall_limit);
  return options;
}

void run_on_backend(const BackendOptions& options, const Grid& grid,
                    const std::function<void(RankContext&)>& program) {
  switch (options.kind) {
    case BackendKind::reference:
      return run_in_one_process(grid, program);
    case BackendKind::cpu:
      return run_as_process(options, grid, program);
  }
}

}  // namespace fourfold::real
