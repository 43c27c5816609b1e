#pragma once
// SIGTERM and SIGUSR1 as a request to stop at the end of the step: what Slurm sends before a job's time is over.

namespace fourfold::real {

/// From now on the two signals only leave a note.
void catch_stop_signals();

/// The signal that this process has received, or 0.
int stop_signal();

}  // namespace fourfold::real
