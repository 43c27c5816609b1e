#pragma once
// Runs independent tasks in child processes, several at a time: SimGrid has one engine a process,
// and a task that dies takes nothing else with it.

#include <cstddef>
#include <functional>
#include <string>

namespace fourfold::sim {

struct TaskOutcome {
  bool ok = false;
  std::string text;  ///< what the task returned, or why it failed
};

/// Runs task(0) ... task(tasks - 1), each in a process of its own forked from this one, at most
/// `workers` at a time. `finished` is called in this process as they end, in any order. A task fails
/// by throwing or dying; the others go on. Throws BackendError when no process can be started.
void run_in_processes(std::size_t tasks, int workers,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, const TaskOutcome&)>& finished);

/// Cores of this computer.
int core_count();

}  // namespace fourfold::sim
