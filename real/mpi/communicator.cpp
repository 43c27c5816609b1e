#include "real/mpi/communicator.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/base/collective_rules.hpp"
#include "real/mpi/check.hpp"
#include "real/mpi/direct_collective.hpp"
#include "real/mpi/tags.hpp"

namespace fourfold::real {

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
  const int tag = data_tag(stream, collective.group);
  Issued issued{rank_, describe(collective), device_.place()};
  std::optional<MemberCheck> check;
  if (options_.check_collectives) {
    issued.what += fmt::format(", number {} on {}", ++issued_[tag], name_of(stream));
    check.emplace(world_, stream, group, issued);
  }
  device_.queues().push(stream, std::make_unique<DirectCollective>(
                                    collective, Transfers(world_, tag, group), device_.engine(),
                                    std::move(issued), std::move(check)));
}

}  // namespace fourfold::real
