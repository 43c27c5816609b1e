#include "tests/contract/backends.hpp"

#include <utility>

#include "core/program/recorder.hpp"
#include "real/reference/run_ranks.hpp"

namespace fourfold::test {
namespace {

std::vector<MemoryByKind> run_recorder(const Grid& grid, const RankProgram& program,
                                       Bytes memory_capacity) {
  std::vector<MemoryByKind> peaks;
  for (int rank = 0; rank < grid.world_size(); ++rank) {
    Recorder recorder(memory_capacity);
    RankContext context{grid, rank, recorder, recorder};
    program(context);
    peaks.push_back(recorder.take_program().peak_memory);
  }
  return peaks;
}

std::vector<MemoryByKind> run_reference(const Grid& grid, const RankProgram& program,
                                        const real::ReferenceOptions& options) {
  std::vector<MemoryByKind> peaks;
  for (const MemoryAccount& account : real::run_ranks(grid, program, options))
    peaks.push_back(account.at_peak());
  return peaks;
}

}  // namespace

std::vector<Backend> all_backends() {
  const auto reference = [](std::optional<std::uint64_t> seed) {
    return [seed](const Grid& grid, const RankProgram& program, Bytes capacity) {
      return run_reference(grid, program, {capacity, seed});
    };
  };
  return {{"recorder", false, run_recorder},
          {"reference", true, reference(std::nullopt)},
          {"reference_shuffled_1", true, reference(1)},
          {"reference_shuffled_2", true, reference(2)}};
}

}  // namespace fourfold::test
