#pragma once
// Members of a group tell each other what they are about to do, before they do it. What one rank issues on a stream
// together with another arrives there in the order of issue, whatever the groups are: two ranks that disagree on the
// collective, its size, type, order or group find that out. What a rank would never ask for is listed when it waits in
// vain: `unanswered`.

#include <string>
#include <vector>

#include "core/backend/stream.hpp"
#include "core/grid/process_group.hpp"
#include "real/base/collective_rules.hpp"
#include "real/mpi/transfers.hpp"

namespace fourfold::real {

class MemberCheck {
 public:
  MemberCheck(MPI_Comm world, Stream stream, ProcessGroup group, Issued mine);

  void start();
  /// True when all members have answered. Throws BackendError naming both ranks if one of them does something else.
  bool done();
  /// Ranks that have not answered yet.
  std::vector<int> silent() const { return transfers_.silent(); }

 private:
  Issued mine_;
  Transfers transfers_;
  std::vector<std::string> messages_;  ///< by member, packed
};

/// What others have told this rank that no collective of its own has asked for: they wait for it there.
std::vector<Issued> unanswered(MPI_Comm world);

}  // namespace fourfold::real
