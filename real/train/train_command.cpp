#include <iostream>

#include "real/train/backend.hpp"
#include "real/train/command.hpp"
#include "real/train/stop_signal.hpp"
#include "real/train/trainer.hpp"

namespace fourfold::real {
namespace {

constexpr const char* kExamples =
    "Trains a GPT.\n"
    "\n"
    "Examples:\n"
    "  fourfold-train --model gpt-nano --data /usr/share/common-licenses --steps 50\n"
    "  mpirun -n 8 fourfold-train --model gpt-nano --grid 2x2x2x1 --data corpus.txt --steps 200 "
    "--out run\n"
    "  mpirun -n 2 fourfold-train --model gpt-nano --grid 1x1x1x2 --data corpus.txt --steps 400 "
    "--out run --resume\n"
    "\n"
    "A resumed run may have another grid, batch, micro-batch, overlap and recomputation.\n"
    "With --out, SIGUSR1 or SIGTERM ends the run after the present step with a checkpoint and exit "
    "code 0.\n";

}  // namespace

int train_command(const Words& words) {
  const auto options = train_options();
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout << kExamples << options << '\n';
    return 0;
  }
  const TrainJob job = prepare_job(read_train_request(arguments));
  if (!job.request.out.empty()) catch_stop_signals();
  run_on_backend(job.request.backend, job.request.train.grid,
                 [&](RankContext& context) { Trainer(context, job).run(); });
  return 0;
}

}  // namespace fourfold::real
