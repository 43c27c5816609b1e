#include "real/reference/run_ranks.hpp"

namespace fourfold::real {
namespace {

MemoryAccount run_rank(World& world, int rank, const std::function<void(RankContext&)>& program,
                       const ReferenceOptions& options) {
  ReferenceDevice device(world, rank, options);
  try {
    RankContext context{world.grid(), rank, device, device};
    program(context);
    device.synchronize();
    world.end(rank);
  } catch (...) {
    world.fail(std::current_exception());
  }
  return device.memory();
}

}  // namespace

std::vector<MemoryAccount> run_ranks(const Grid& grid,
                                     const std::function<void(RankContext&)>& program,
                                     const ReferenceOptions& options) {
  RankFibers fibers(grid.world_size());
  World world(grid, fibers);
  std::vector<MemoryAccount> accounts(static_cast<std::size_t>(grid.world_size()));
  fibers.run([&](int rank) {
    accounts[static_cast<std::size_t>(rank)] = run_rank(world, rank, program, options);
  });
  if (world.failure()) std::rethrow_exception(world.failure());
  return accounts;
}

}  // namespace fourfold::real
