#pragma once
// Collectives between processes, over MPI's point-to-point messages (direct_collective.hpp). MPI's own non-blocking
// collectives were measured to be several times slower between processes of one node: see README.md.

#include <map>

#include <mpi.h>

#include "core/backend/communicator.hpp"
#include "core/grid/grid.hpp"
#include "real/cpu/device.hpp"

namespace fourfold::real {

#ifdef NDEBUG
inline constexpr bool kCheckCollectives = false;
#else
inline constexpr bool kCheckCollectives = true;
#endif

struct MpiOptions {
  /// Members of a group compare what they issue: an error naming both sides instead of a hang or of wrong numbers. Costs
  /// a small message per collective and pair; on in debug builds.
  bool check_collectives = kCheckCollectives;
};

class MpiCommunicator final : public Communicator {
 public:
  /// Rank i of the grid is rank i of `world`; a collective call among all of them. The collectives run on the streams
  /// of `device`, which must outlive it. Throws ConfigError unless grid and world have equally many ranks.
  MpiCommunicator(MPI_Comm world, const Grid& grid, CpuDevice& device,
                  const MpiOptions& options = {});
  ~MpiCommunicator() override;

  /// Throws ShapeError unless the operands have one type and the sizes of core/backend/collective.hpp.
  void launch(Stream stream, const Collective& collective) override;

  int rank() const { return rank_; }

 private:
  MPI_Comm world_ = MPI_COMM_NULL;
  Grid grid_;
  int rank_ = 0;
  CpuDevice& device_;
  MpiOptions options_;
  std::map<int, std::int64_t> issued_;  ///< collectives by tag, counted while they are checked
};

}  // namespace fourfold::real
