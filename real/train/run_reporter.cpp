#include "real/train/run_reporter.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "core/schedule/setup_names.hpp"
#include "real/train/profile_report.hpp"

namespace fourfold::real {
namespace {

std::string bar(double fraction) {
  constexpr int kWidth = 24;
  const int filled = static_cast<int>(kWidth * fraction);
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kWidth - filled), '.');
}

/// "1:02:03" or "2:03".
std::string clock_time(Seconds seconds) {
  const auto total = static_cast<std::int64_t>(seconds + 0.5);
  const std::int64_t hours = total / 3600, minutes = total / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60)
                   : fmt::format("{}:{:02}", minutes, total % 60);
}

}  // namespace

RunReporter::RunReporter(const TrainJob& job, double peak_flops)
    : request_(job.request),
      training_(job.training),
      first_step_(job.start.step),
      peak_flops_(peak_flops),
      tokens_per_step_(static_cast<double>(request_.train.batch * request_.train.sequence)),
      flops_per_step_(request_.model.formula_model_flops(request_.train.batch)),
      on_terminal_(::isatty(STDERR_FILENO) == 1) {
  if (request_.metrics) metrics_.emplace(*request_.metrics, first_step_);
  if (request_.quiet) return;
  const TrainConfig& train = request_.train;
  fmt::print(
      "{}: {:.2f} M parameters, grid {} (ranks: {}, backend {}), batch {} x {} tokens in {} "
      "micro-batches, "
      "{}, overlap {}\n",
      request_.model.name, static_cast<double>(request_.model.parameters()) / kMega,
      train.grid.to_string(), train.grid.world_size(), name_of(request_.backend.kind), train.batch,
      train.sequence, train.micro_batches(), name_of(train.dtype), to_string(train.overlap));
  fmt::print("{} samples of {} tokens in an epoch; peak {:.1f} GFLOP/s\n", job.training.windows(),
             train.sequence, peak_flops / kGiga);
  if (job.resume_from)
    fmt::print("resumed from {}\n", job.resume_from->string());
  else if (request_.resume)
    fmt::print("no checkpoint in {} yet: starting at step 0\n", request_.out.string());
  std::fflush(stdout);
}

void RunReporter::step_done(const RunState& state, const Step& step) {
  constexpr double kForget = 0.1;  // of the running mean
  mean_duration_ = mean_duration_ == 0
                       ? step.duration
                       : mean_duration_ + kForget * (step.duration - mean_duration_);
  loss_ = step.result.loss;
  if (step.validation_loss) validation_loss_ = step.validation_loss;
  if (metrics_) metrics_->add(row_of(state, step));
  if (request_.quiet) return;
  if (on_terminal_)
    print_progress(state.step);
  else if (state.step % request_.log_every == 0 || state.step == request_.steps ||
           step.validation_loss)
    print_line(state.step, step.validation_loss);
}

nlohmann::ordered_json RunReporter::row_of(const RunState& state, const Step& step) const {
  nlohmann::ordered_json row = {
      {"step", state.step},
      {"tokens", state.position * state.sequence},
      {"loss", step.result.loss},
      {"gradient_norm", step.result.gradient_norm},
      {"learning_rate", step.learning_rate},
      {"step_time_s", step.duration},
      {"tokens_per_s", tokens_per_step_ / step.duration},
      {"MFU_percent", 100 * flops_per_step_ / step.duration / peak_flops_}};
  if (step.validation_loss) row["validation_loss"] = *step.validation_loss;
  if (request_.metrics_tokens) {
    const std::int64_t batch = request_.train.batch;
    const RankBatch whole = training_.read(state.position - batch, batch, 0, 1);
    row["input_ids"] = whole.tokens;
    row["labels"] = whole.targets;
  }
  return row;
}

void RunReporter::saved(const std::filesystem::path& checkpoint) {
  if (request_.quiet) return;
  clear_progress();
  fmt::print("saved {}\n", checkpoint.string());
  std::fflush(stdout);
}

void RunReporter::finish(std::int64_t last_step, const Profiler* profiler) {
  if (!request_.quiet) {
    clear_progress();
    if (mean_duration_ > 0 && on_terminal_) print_line(last_step, validation_loss_);
    if (last_step < request_.steps)
      fmt::print("stopped by a signal after step {} of {}; continue with --resume\n", last_step,
                 request_.steps);
    else if (mean_duration_ == 0)
      fmt::print("nothing to do: {} of {} steps are done\n", first_step_, request_.steps);
  }
  if (profiler == nullptr || profiler->steps() == 0) return;
  if (!request_.quiet) fmt::print("{}", profile_table(*profiler));
  if (!request_.out.empty())
    write_profile(*profiler, tokens_per_step_, request_.out / "profile.json");
}

Seconds RunReporter::time_left(std::int64_t step) const {
  const Seconds elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  return elapsed / static_cast<double>(step - first_step_) *
         static_cast<double>(request_.steps - step);
}

void RunReporter::print_progress(std::int64_t step) const {
  const std::string validation =
      validation_loss_ ? fmt::format("  val {:.4f}", *validation_loss_) : "";
  fmt::print(stderr, "\r\033[Kstep {}/{} [{}] loss {:.4f}{}  {:.0f} tokens/s  MFU {:.1f} %  ETA {}",
             step, request_.steps,
             bar(static_cast<double>(step) / static_cast<double>(request_.steps)), loss_,
             validation, tokens_per_second(), 100 * utilisation(), clock_time(time_left(step)));
}

void RunReporter::print_line(std::int64_t step, std::optional<double> validation) const {
  const std::string evaluated = validation ? fmt::format("  validation {:.4f}", *validation) : "";
  fmt::print("step {:>6}  loss {:.4f}{}  {:.0f} tokens/s  MFU {:.1f} %\n", step, loss_, evaluated,
             tokens_per_second(), 100 * utilisation());
  std::fflush(stdout);
}

void RunReporter::clear_progress() const {
  if (on_terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace fourfold::real
