#pragma once
// One process watches another: a rank that a signal kills cannot say so itself.

#include <functional>

namespace fourfold::real {

/// Runs `program` in a child process and returns its exit code. If a signal kills the child (SIGKILL by hand or for want
/// of memory, SIGSEGV), prints which rank and signal, and returns 1: the launcher stops the job as after any failure.
/// Signals that ask to stop are passed on; a child never outlives its parent. To be called before MPI is initialised
/// and before threads are started. Throws Error where the system has no more processes.
int run_supervised(const std::function<int()>& program);

}  // namespace fourfold::real
