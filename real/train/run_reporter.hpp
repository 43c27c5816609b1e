#pragma once
// What a person and a plot see of a run: progress bar or lines, metrics, summary.

#include <chrono>
#include <optional>

#include "core/schedule/train_step.hpp"
#include "real/train/metrics_file.hpp"
#include "real/train/profiler.hpp"
#include "real/train/train_job.hpp"

namespace fourfold::real {

class RunReporter {
 public:
  /// Prints what will be trained. peak_flops: of all ranks together.
  RunReporter(const TrainJob& job, double peak_flops);

  struct Step {
    StepResult result;
    double learning_rate = 0;
    Seconds duration = 0;
    std::optional<double> validation_loss;
  };
  /// The step that has led to `state`.
  void step_done(const RunState& state, const Step& step);
  void saved(const std::filesystem::path& checkpoint);
  /// Prints the summary of a run that ended at `last_step`, and of what was profiled if anything was.
  void finish(std::int64_t last_step, const Profiler* profiler);

 private:
  nlohmann::ordered_json row_of(const RunState& state, const Step& step) const;
  void print_progress(std::int64_t step) const;
  void print_line(std::int64_t step, std::optional<double> validation) const;
  void clear_progress() const;
  double tokens_per_second() const { return tokens_per_step_ / mean_duration_; }
  double utilisation() const { return flops_per_step_ / mean_duration_ / peak_flops_; }
  Seconds time_left(std::int64_t step) const;

  const TrainRequest& request_;
  const Batches& training_;
  std::int64_t first_step_;
  double peak_flops_;
  double tokens_per_step_;
  Flops flops_per_step_;
  bool on_terminal_;
  std::optional<MetricsFile> metrics_;

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Seconds mean_duration_ = 0;  // of the recent steps
  double loss_ = 0;
  std::optional<double> validation_loss_;
};

}  // namespace fourfold::real
