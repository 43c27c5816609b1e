#pragma once
// Messages in flight between the members of one process group.

#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

#include "core/base/units.hpp"

namespace fourfold::real {

class Transfers {
 public:
  /// `tag` keeps the groups apart that two ranks may share; `ranks` are the members' in `world`.
  Transfers(MPI_Comm world, int tag, std::vector<int> ranks)
      : world_(world), tag_(tag), ranks_(std::move(ranks)) {}

  /// Starts a message; the bytes must stay where they are until `done`. Messages between two members arrive in order.
  void send(int member, const std::byte* data, Bytes bytes);
  void receive(int member, std::byte* data, Bytes bytes);

  /// Lets MPI work; true when nothing is in flight.
  bool done();

 private:
  MPI_Comm world_;
  int tag_;
  std::vector<int> ranks_;
  std::vector<MPI_Request> requests_;
};

}  // namespace fourfold::real
