#pragma once
// What one training step does, as a list: recorded once, replayed on every rank.
//
// All ranks of one pipeline stage run the same program: groups are named by axes, not by ranks, and what differs
// between ranks (which rows of the vocabulary, which tokens) does not change an operation's cost.
// The simulator replays it, the analytical model sums over it, the memory report and the trace read it.

#include <string>
#include <variant>
#include <vector>

#include "core/backend/collective.hpp"
#include "core/backend/kernel.hpp"
#include "core/backend/stream.hpp"
#include "core/program/memory_account.hpp"

namespace fourfold {

struct KernelOp {
  Stream stream;
  Kernel kernel;
};
struct CollectiveOp {
  Stream stream;
  Collective collective;
};
struct RecordOp {
  Stream stream;
  Event event;
};
struct WaitOp {
  Stream stream;
  Event event;
};
struct AllocateOp {
  StorageId storage;
  Bytes bytes;
  MemoryKind kind;
};
struct FreeOp {
  StorageId storage;
};
/// Host-to-device or device-to-host copy of a few tokens or a loss.
struct CopyOp {
  Stream stream;
  Tensor tensor;
  bool to_device;
};
struct SynchronizeOp {};

using OpAction =
    std::variant<KernelOp, CollectiveOp, RecordOp, WaitOp, AllocateOp, FreeOp, CopyOp, SynchronizeOp>;

struct Op {
  OpAction action;
  int range = 0;  ///< index into StepProgram::ranges
};

struct StepProgram {
  std::vector<Op> ops;
  /// Full names of the ranges, "backward/block 3/mlp"; ops refer to them by index.
  std::vector<std::string> ranges;
  /// Memory held when the step begins (parameters, optimizer state, ...), and at the peak.
  MemoryByKind resident_memory{};
  MemoryByKind peak_memory{};
  std::string peak_place;
};

/// One line an operation, for people and for comparing programs: stream, name, shapes, group, storages.
std::string to_string(const StepProgram& program);

/// FLOPs of all kernels of one rank (hardware FLOPs: recomputation included).
Flops total_flops(const StepProgram& program);

}  // namespace fourfold
