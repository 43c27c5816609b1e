#include "real/train/train_job.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/checkpoint/staging.hpp"

namespace fourfold::real {
namespace {

std::pair<Corpus, std::optional<Corpus>> open_data(const TrainRequest& request) {
  Corpus corpus(request.data, request.model.vocabulary);
  if (!request.validation_data.empty()) {
    return {std::move(corpus), Corpus(request.validation_data, request.model.vocabulary)};
  }
  if (request.validation_fraction == 0.0) return {std::move(corpus), std::nullopt};
  return corpus.split(request.validation_fraction);
}

/// The position in a checkpoint means the same samples only if all of this agrees.
void check_same_data(const std::filesystem::path& checkpoint, const RunState& saved,
                     const RunState& now) {
  const auto check = [&](std::string_view what, auto before, auto after) {
    if (before == after) return;
    throw ConfigError(
        fmt::format("checkpoint \"{}\" was made with {} {}, now it is {}; resume with the same, or "
                    "export the weights and start anew with --init",
                    checkpoint.string(), what, before, after));
  };
  check("--seed", saved.seed, now.seed);
  check("--seq", saved.sequence, now.sequence);
  check("a number of training samples in --data of", saved.windows, now.windows);
}

void check_same_model(const std::filesystem::path& checkpoint, const GptConfig& now) {
  const GptConfig saved = read_model(checkpoint);
  const auto check = [&](std::string_view what, std::int64_t before, std::int64_t after) {
    if (before == after) return;
    throw ConfigError(fmt::format("checkpoint \"{}\" has {} {}, --model has {}; resume with {}",
                                  checkpoint.string(), what, before, after,
                                  (checkpoint / "model.json").string()));
  };
  check("layers", saved.layers, now.layers);
  check("hidden", saved.hidden, now.hidden);
  check("heads", saved.heads, now.heads);
  check("sequence", saved.sequence, now.sequence);
  check("vocabulary", saved.vocabulary, now.vocabulary);
  check("ffn", saved.ffn, now.ffn);
  check("tied_embeddings", saved.tied, now.tied);
}

/// Sets the starting point of `job`.
void find_start(TrainJob& job) {
  const TrainRequest& request = job.request;
  const auto latest = request.out.empty() ? std::nullopt : latest_checkpoint(request.out);
  if (!latest) return;
  if (!request.resume) {
    throw ConfigError(fmt::format(
        "--out {} already holds {}; add --resume to continue it, or choose another folder",
        request.out.string(), latest->filename().string()));
  }
  const RunState saved = read_manifest(*latest).state;
  check_same_model(*latest, request.model);
  check_same_data(*latest, saved, job.start);
  job.start = saved;
  job.resume_from = *latest;
}

}  // namespace

TrainJob prepare_job(TrainRequest request) {
  auto [training, validation] = open_data(request);
  const std::int64_t sequence = request.train.sequence;
  TrainJob job{std::move(request),
               Batches(std::move(training), sequence, request.seed, "training"),
               std::nullopt,
               {}};
  if (job.request.evaluate_every > 0) {
    if (!validation)
      throw ConfigError("--eval-every needs --validation-data or a --validation-fraction above 0");
    job.validation.emplace(std::move(*validation), sequence, job.request.seed, "validation");
  }
  job.start.seed = job.request.seed;
  job.start.windows = job.training.windows();
  job.start.sequence = sequence;
  find_start(job);
  return job;
}

}  // namespace fourfold::real
