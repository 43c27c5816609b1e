#pragma once
// Messages in flight between the members of one process group.

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "core/base/units.hpp"
#include "core/grid/process_group.hpp"

namespace fourfold::real {

class Transfers {
 public:
  /// `tag` keeps the groups apart that two ranks of `world` may share.
  Transfers(MPI_Comm world, int tag, ProcessGroup group)
      : world_(world), tag_(tag), group_(std::move(group)) {}

  const ProcessGroup& group() const { return group_; }
  MPI_Comm world() const { return world_; }

  /// Starts a message; the bytes must stay where they are until `done`. Messages between two members arrive in order.
  void send(int member, const std::byte* data, Bytes bytes);
  void receive(int member, std::byte* data, Bytes bytes);

  /// Lets MPI work; true when nothing is in flight.
  bool done();
  /// Ranks from which a message is awaited that has not arrived.
  std::vector<int> silent() const;

  /// Calls `body(member)` for all members but this one, beginning behind it, so that they do not all send to the first
  /// one first.
  template <typename Body>
  void for_others(Body body) const {
    for (int step = 1; step < group_.size(); ++step) body((group_.index + step) % group_.size());
  }

 private:
  int rank_of(int member) const { return group_.ranks[static_cast<std::size_t>(member)]; }

  MPI_Comm world_;
  int tag_;
  ProcessGroup group_;
  std::vector<MPI_Request> requests_;
  std::vector<int> senders_;  ///< by request; -1 where this rank is the sender
};

}  // namespace fourfold::real
