#pragma once
// Where ranks meet: collectives, detection of mismatches and of ranks that wait for each
// other for ever, and the news that a rank has failed.

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/backend/collective.hpp"
#include "core/backend/stream.hpp"
#include "core/grid/grid.hpp"
#include "real/base/collective_rules.hpp"
#include "real/reference/rank_fibers.hpp"

namespace fourfold::real {

/// One collective of one group, from its first member's arrival to its result.
struct Meeting {
  explicit Meeting(ProcessGroup members)
      : group(std::move(members)), collectives(group.ranks.size()) {}

  ProcessGroup group;
  std::vector<Collective> collectives;  ///< by position in the group
  std::vector<int> arrived;             ///< ranks, in order of arrival
  Issued first;                         ///< by the first to arrive: all others must issue it too
  bool done = false;
};

class World {
 public:
  /// `fibers` runs the ranks of `grid` and must outlive the world.
  World(const Grid& grid, RankFibers& fibers);

  const Grid& grid() const { return grid_; }

  /// `rank` has reached `collective` on `stream`; the last member to arrive evaluates it for all. A
  /// stream's next collective may only be joined when the present one is done. Throws BackendError,
  /// naming both ranks, when the members' collectives do not match.
  std::shared_ptr<Meeting> join(int rank, Stream stream, const Collective& collective,
                                const std::string& place);

  /// Counts the meetings of `rank` that are done.
  std::int64_t meetings_done(int rank) const { return of(rank).meetings_done; }
  /// Lets other ranks run until meetings_done(rank) exceeds `seen`. Throws BackendError when that can never
  /// happen, because all ranks wait or have ended, and when another rank has failed.
  void wait_for_meeting(int rank, std::int64_t seen);

  /// `rank` has ended its program. Throws BackendError when the others wait for it in vain.
  void end(int rank);
  /// Stops all ranks; the first failure is kept.
  void fail(std::exception_ptr failure);
  /// Throws BackendError when a rank has failed.
  void check_failed() const;
  /// The first failure, or null.
  std::exception_ptr failure() const { return failure_; }

 private:
  using Key = std::tuple<Stream, AxisSet, int>;  // of a group: its axes and its first rank
  enum class State : std::uint8_t { running, waiting, ended };
  struct Rank {
    State state = State::running;
    std::int64_t meetings_done = 0;
  };

  Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  void complete(Meeting& meeting);

  void check_progress() const;
  std::string open_meetings() const;

  const Grid grid_;
  RankFibers& fibers_;
  std::map<Key, std::shared_ptr<Meeting>> open_;
  std::vector<Rank> ranks_;
  std::exception_ptr failure_;  // null while nobody has failed
};

}  // namespace fourfold::real
