#include "real/mpi/communicator.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/mpi/check.hpp"
#include "real/mpi/direct_collective.hpp"

namespace fourfold::real {
namespace {

/// Two ranks may be members of several groups and use each on several streams; the tag keeps their messages apart.
int tag_of(Stream stream, AxisSet axes) {
  return static_cast<int>(stream) * (1 << kAxisCount) + axes.bits();
}

void check_operands(const Collective& collective, int members) {
  const bool gathers = collective.kind == CollectiveKind::all_gather;
  const bool scatters = collective.kind == CollectiveKind::reduce_scatter;
  const std::int64_t input = collective.input.elements() * (gathers ? members : 1);
  const std::int64_t output = collective.output.elements() * (scatters ? members : 1);
  if (input == output && collective.input.dtype == collective.output.dtype) return;
  throw ShapeError(fmt::format("{} among {} ranks cannot turn {}{} into {}{}",
                               name_of(collective.kind), members, name_of(collective.input.dtype),
                               to_string(collective.input.shape), name_of(collective.output.dtype),
                               to_string(collective.output.shape)));
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm world, const Grid& grid, CpuDevice& device,
                                 const MpiOptions& options)
    : grid_(grid), device_(device), options_(options) {
  int size = 0;
  check_mpi(MPI_Comm_size(world, &size), "MPI_Comm_size");
  if (size != grid.world_size()) {
    throw ConfigError(
        fmt::format("grid {} has {} ranks, but MPI started {}; use mpirun -n {} or another grid",
                    grid.to_string(), grid.world_size(), size, grid.world_size()));
  }
  check_mpi(MPI_Comm_dup(world, &world_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(world_, &rank_), "MPI_Comm_rank");
}

MpiCommunicator::~MpiCommunicator() {
  MPI_Comm_free(&world_);
}

void MpiCommunicator::launch(Stream stream, const Collective& collective) {
  const ProcessGroup group = grid_.group(rank_, collective.group);
  check_operands(collective, group.size());
  device_.queues().push(
      stream,
      std::make_unique<DirectCollective>(
          collective, group, Transfers(world_, tag_of(stream, collective.group), group.ranks),
          device_.engine(),
          DirectCollective::Options{.check_signatures = options_.check_collectives,
                                    .place = device_.place()}));
}

}  // namespace fourfold::real
