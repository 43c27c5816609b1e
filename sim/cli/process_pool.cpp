#include "sim/cli/process_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.hpp"

namespace fourfold::sim {
namespace {

struct Child {
  std::size_t task = 0;
  pid_t process = 0;
  int pipe = 0;  ///< from which its text is read
  std::string text;
};

void write_all(int pipe, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(pipe, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the parent is gone
    written += static_cast<std::size_t>(count);
  }
}

/// A killed parent takes its children along: nobody reads them any more.
void die_with(pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (::getppid() != parent) ::_exit(1);  // it was gone before
}

/// The child's life: run the task, send its text, leave without the parent's exit handlers.
[[noreturn]] void run_task(std::size_t index, const std::function<std::string(std::size_t)>& task,
                           int pipe) {
  int code = 0;
  try {
    write_all(pipe, task(index));
  } catch (const std::exception& error) {
    write_all(pipe, error.what());
    code = 1;
  }
  ::_exit(code);
}

Child start(std::size_t index, const std::function<std::string(std::size_t)>& task) {
  int ends[2];
  if (::pipe(ends) != 0) throw BackendError(fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) throw BackendError(fmt::format("no new process: {}", std::strerror(errno)));
  if (process == 0) {
    die_with(parent);
    ::close(ends[0]);
    run_task(index, task, ends[1]);
  }
  ::close(ends[1]);
  return {index, process, ends[0], {}};
}

TaskOutcome outcome_of(const Child& child, int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {false, fmt::format("the process was ended by signal {} ({}){}", signal,
                               ::strsignal(signal), signal == SIGKILL ? "; out of memory?" : "")};
  }
  return {WEXITSTATUS(status) == 0, child.text};
}

/// Reads what is there. False at the end of the text.
bool read_some(Child& child) {
  char buffer[65536];
  const ssize_t count = ::read(child.pipe, buffer, sizeof buffer);
  if (count > 0) child.text.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Waits until some children have ended, reading all the while, and takes them off the list.
std::vector<Child> wait_for_some(std::vector<Child>& running) {
  std::vector<Child> ended;
  while (ended.empty()) {
    std::vector<pollfd> pipes;
    for (const Child& child : running) pipes.push_back({child.pipe, POLLIN, 0});
    ::poll(pipes.data(), pipes.size(), -1);
    for (std::size_t i = pipes.size(); i-- > 0;) {
      if (pipes[i].revents == 0 || read_some(running[i])) continue;
      ended.push_back(std::move(running[i]));
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return ended;
}

}  // namespace

void run_in_processes(std::size_t tasks, int workers,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, const TaskOutcome&)>& finished) {
  std::vector<Child> running;
  for (std::size_t next = 0; next < tasks || !running.empty();) {
    while (next < tasks && running.size() < static_cast<std::size_t>(workers)) {
      running.push_back(start(next++, task));
    }
    for (const Child& child : wait_for_some(running)) {
      ::close(child.pipe);
      int status = 0;
      while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
      }
      finished(child.task, outcome_of(child, status));
    }
  }
}

int core_count() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace fourfold::sim
