#include "real/train/trainer.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/optimizer/optimizer.hpp"
#include "real/checkpoint/host_sum.hpp"
#include "real/checkpoint/hugging_face.hpp"
#include "real/checkpoint/load.hpp"
#include "real/checkpoint/save.hpp"
#include "real/checkpoint/staging.hpp"
#include "real/train/peak_flops.hpp"
#include "real/train/stop_signal.hpp"

namespace fourfold::real {

Trainer::Trainer(RankContext& context, const TrainJob& job)
    : job_(job),
      request_(job.request),
      profiler_(context.device, context.communicator, context.grid),
      context_{context.grid, context.rank, profiler_, profiler_},
      model_(context_, request_.model, request_.train),
      state_(job.start) {
  set_weights();
  const double peak = job_peak_flops(context_, request_.train.dtype, request_.peak_flops);
  if (context_.rank == 0) reporter_.emplace(job, peak);
}

void Trainer::set_weights() {
  ParameterStore& store = model_.parameters();
  if (job_.resume_from) {
    load_checkpoint(context_, Checkpoint(*job_.resume_from), store);
    saved_step_ = state_.step;
  } else if (request_.initial_weights) {
    import_weights(context_, *request_.initial_weights, store);
  } else {
    initialize_parameters(context_, store, request_.seed);
  }
  context_.device.synchronize();
}

void Trainer::run() {
  const auto is_due = [&](std::int64_t interval) {
    return interval > 0 && state_.step % interval == 0;
  };
  while (state_.step < request_.steps && !asked_to_stop()) {
    RunReporter::Step step = train_one_step();
    if (is_due(request_.evaluate_every)) step.validation_loss = validation_loss();
    if (reporter_) reporter_->step_done(state_, step);
    if (is_due(request_.save_every)) save();
  }
  save();
  if (reporter_) reporter_->finish(state_.step, request_.profile ? &profiler_ : nullptr);
}

bool Trainer::asked_to_stop() {
  // The signal reaches the ranks at different times, or only one of them.
  const bool asked = stop_signal() != 0;
  return !request_.out.empty() && sum_over_ranks(context_, {asked ? 1.0 : 0.0})[0] > 0.0;
}

RunReporter::Step Trainer::train_one_step() {
  using Clock = std::chrono::steady_clock;
  const TrainConfig& train = request_.train;
  const auto begin = Clock::now();
  const RankBatch batch = part_of_batch(job_.training, state_.position);
  RunReporter::Step step;
  step.learning_rate =
      cosine_learning_rate(state_.step, train.optimizer.learning_rate, request_.final_learning_rate,
                           request_.warmup_steps, request_.steps);
  {
    const ProfiledStep profiled(profiler_, request_.profile);
    step.result = train_step(context_, model_, train, {batch.tokens, batch.targets},
                             step.learning_rate, state_.step + 1);
  }
  step.duration = std::chrono::duration<double>(Clock::now() - begin).count();
  state_.step += 1;
  state_.position += train.batch;
  if (!std::isfinite(step.result.loss) || !std::isfinite(step.result.gradient_norm)) {
    fail_not_finite(step.result);
  }
  return step;
}

double Trainer::validation_loss() {
  double sum = 0;
  for (std::int64_t i = 0; i < request_.evaluation_batches; ++i) {
    const RankBatch batch = part_of_batch(*job_.validation, i * request_.train.batch);
    sum += evaluate(context_, model_, request_.train, {batch.tokens, batch.targets});
  }
  return sum / static_cast<double>(request_.evaluation_batches);
}

RankBatch Trainer::part_of_batch(const Batches& data, std::int64_t first_sample) const {
  return data.read(first_sample, request_.train.batch, context_.index(kBatchAxes),
                   context_.size(kBatchAxes));
}

void Trainer::save() {
  if (request_.out.empty() || saved_step_ == state_.step) return;
  save_checkpoint(context_, request_.model, model_.parameters(), state_, request_.out);
  saved_step_ = state_.step;
  if (!reporter_) return;
  remove_old_checkpoints(request_.out, request_.keep);
  reporter_->saved(checkpoint_path(request_.out, state_.step));
}

void Trainer::fail_not_finite(const StepResult& result) const {
  const std::string last = saved_step_
                               ? fmt::format("the last checkpoint, {}, is intact",
                                             checkpoint_path(request_.out, *saved_step_).string())
                               : "no checkpoint was saved";
  throw Error(fmt::format(
      "step {}: loss {}, gradient norm {}: training has diverged; {}; lower --lr, raise --warmup, "
      "or choose --dtype fp32",
      state_.step, result.loss, result.gradient_norm, last));
}

}  // namespace fourfold::real
