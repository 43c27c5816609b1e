#pragma once
// THE CONTRACT, part 2: the other ranks as one rank sees them.
//
// All members of a group issue its collectives in the same order on the same stream. A collective runs in the order
// of its stream, starts when its last member has reached it, and does not block the program.
// A group of one never reaches a communicator: ops.hpp makes it a no-op.

#include "core/backend/collective.hpp"
#include "core/backend/stream.hpp"

namespace fourfold {

class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual void launch(Stream stream, const Collective& collective) = 0;
};

}  // namespace fourfold
