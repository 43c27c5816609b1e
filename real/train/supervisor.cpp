#include "real/train/supervisor.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.hpp"
#include "real/train/launcher.hpp"

namespace fourfold::real {
namespace {

/// The end of the child, and what launchers and people send to end or warn a program.
sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    sigaddset(&signals, signal);
  return signals;
}

/// Passes signals on until the child has ended; returns its status as of waitpid.
int watch(pid_t child, const sigset_t& signals) {
  int status = 0;
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGCHLD) {
      ::kill(child, signal);
    } else if (::waitpid(child, &status, WNOHANG) == child) {
      return status;
    }
  }
}

int report_killed(int signal) {
  fmt::print(stderr,
             "fourfold-train: rank {} was killed by signal {} ({}){}; all ranks stop, the last "
             "checkpoint is intact\n",
             launcher_rank(), signal, ::strsignal(signal),
             signal == SIGKILL ? ", by hand or because the computer ran out of memory" : "");
  return 1;
}

}  // namespace

int run_supervised(const std::function<int()>& program) {
  const sigset_t signals = watched_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);  // none is lost between here and `watch`
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it died before that was set
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return program();
  }
  const int status = watch(child, signals);
  return WIFSIGNALED(status) ? report_killed(WTERMSIG(status)) : WEXITSTATUS(status);
}

}  // namespace fourfold::real
