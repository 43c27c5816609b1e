#include "real/train/stop_signal.hpp"

#include <csignal>
#include <initializer_list>

namespace fourfold::real {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) {
  received = signal;
}

}  // namespace

void catch_stop_signals() {
  for (int signal : {SIGTERM, SIGUSR1}) std::signal(signal, remember);
}

int stop_signal() {
  return received;
}

}  // namespace fourfold::real
