#pragma once
// A step program compiled for replay: what each stream of a rank does, in order, shared by all
// ranks.
//
// Consecutive kernels of a stream become one duration. Events keep a place only where another
// stream waits for them. Copies of a few tokens or a loss take no time, nor do allocations.
// `synchronize`, and the end of the program, join all streams: the compute stream waits for every
// other one, then they wait for it.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/cost/kernel_model.hpp"
#include "core/grid/grid.hpp"
#include "core/program/step_program.hpp"

namespace fourfold::sim {

struct Instruction {
  enum class Kind : std::uint8_t { work, record, wait, collective };
  Kind kind = Kind::work;
  std::uint8_t woken_streams = 0;  ///< record: bit s is set when stream s waits for this event
  int index = 0;             ///< work: first kernel; record and wait: event; collective: collective
  int count = 0;             ///< work: number of kernels
  int collective_type = -1;  ///< wait: of the last collective before the event, or -1
  Seconds duration = 0;      ///< work
};

struct TimedKernel {
  std::string_view name;
  Seconds duration = 0;
  Flops flops = 0;
  int range = 0;
};

/// Collectives of one kind over one set of axes, one line of the report.
struct CollectiveType {
  CollectiveKind kind = CollectiveKind::all_reduce;
  AxisSet axes;
  friend bool operator==(const CollectiveType&, const CollectiveType&) = default;
};

/// The groups along some axes as seen by one stream. Each has at most one collective in flight at a
/// time.
struct CommunicatorKey {
  Stream stream = Stream::compute;
  AxisSet axes;
  friend bool operator==(const CommunicatorKey&, const CommunicatorKey&) = default;
};

struct ProgramCollective {
  int type = 0;          ///< index into ReplayProgram::collective_types
  int communicator = 0;  ///< index into ReplayProgram::communicators
  Bytes full_bytes = 0;
  double ring_bytes = 0;  ///< sent by each member
  int range = 0;
};

inline constexpr std::int64_t kJoin = -1;

struct ReplayProgram {
  std::array<std::vector<Instruction>, kStreamCount> streams;
  std::vector<TimedKernel> kernels;
  std::vector<ProgramCollective> collectives;
  std::vector<CollectiveType> collective_types;
  std::vector<CommunicatorKey> communicators;
  std::vector<std::int64_t> event_ids;  ///< numbers in the step program, or kJoin
  std::int64_t operations = 0;          ///< kernels, collectives, records and waits of one rank
};

/// Collectives over groups of one are left out. Throws BackendError when a stream waits for an
/// event that is never recorded.
ReplayProgram compile(const StepProgram& program, const Grid& grid,
                      const KernelModel& kernel_model);

}  // namespace fourfold::sim
