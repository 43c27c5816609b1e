#pragma once
// The training loop of one rank. Every rank runs the same; the first one reports.

#include <optional>

#include "core/schedule/train_step.hpp"
#include "real/train/profiler.hpp"
#include "real/train/run_reporter.hpp"
#include "real/train/train_job.hpp"

namespace fourfold::real {

class Trainer {
 public:
  /// Builds the model and gives it its initial, imported or saved weights.
  Trainer(RankContext& context, const TrainJob& job);

  /// Trains up to request.steps, or to the end of the step in which a rank is asked to stop (stop_signal.hpp), and saves
  /// the last state. Throws Error if the loss is not a number.
  void run();

 private:
  void set_weights();
  RunReporter::Step train_one_step();
  double validation_loss();
  bool asked_to_stop();
  void save();
  /// This rank's share of the batch that begins with a sample.
  RankBatch part_of_batch(const Batches& data, std::int64_t first_sample) const;
  [[noreturn]] void fail_not_finite(const StepResult& result) const;

  const TrainJob& job_;
  const TrainRequest& request_;
  Profiler profiler_;  // passes everything through while it is off
  RankContext context_;
  Gpt model_;
  RunState state_;
  std::optional<std::int64_t> saved_step_;
  std::optional<RunReporter> reporter_;  // on the first rank
};

}  // namespace fourfold::real
