#pragma once
// The streams of one rank: queues of operations, run when the rank comes by, under CUDA's rules
// and no more. An operation may run when it is at the head of its queue and, if it waits for an
// event or a collective, when that is done.

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "core/backend/collective.hpp"
#include "core/backend/stream.hpp"
#include "real/reference/world.hpp"

namespace fourfold::real {

class StreamQueues {
 public:
  /// Without a seed operations run as soon as they may. With one they are held back until the host
  /// waits, and then run in a random legal order, the streams overtaking each other by far: a
  /// program that misses an event computes with wrong numbers.
  StreamQueues(World& world, int rank, std::optional<std::uint64_t> shuffle_seed);

  /// True where nothing holds work on `stream` back: it need not be queued.
  bool would_run_at_once(Stream stream) { return !random_ && queue(stream).empty(); }
  void push_work(Stream stream, std::function<void()> work);
  /// `place` is the range of the program, for error messages.
  void push_collective(Stream stream, const Collective& collective, std::string place);
  Event push_record(Stream stream);
  /// Throws BackendError for an event that no stream has recorded.
  void push_wait(Stream stream, Event event);

  /// Runs operations until `stream` is empty.
  void drain(Stream stream);
  void drain_all();

 private:
  using Work = std::function<void()>;
  struct Record {
    Event event;
  };
  struct Wait {
    Event event;
  };
  struct Joining {
    Collective collective;
    std::string place;
    std::shared_ptr<Meeting> meeting;  // null until joined
  };
  using Operation = std::variant<Work, Record, Wait, Joining>;

  std::deque<Operation>& queue(Stream stream) { return queues_[static_cast<std::size_t>(stream)]; }
  void push(Stream stream, Operation operation);
  /// Runs or joins the first operation that may; false when there is none.
  bool advance_one();
  bool advance(Stream stream);
  void shuffle_sometimes();

  World& world_;
  int rank_;
  std::optional<std::mt19937_64> random_;
  std::array<Stream, kStreamCount> priority_ = kAllStreams;
  std::array<std::deque<Operation>, kStreamCount> queues_;
  std::vector<bool> events_done_;
};

}  // namespace fourfold::real
