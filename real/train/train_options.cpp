#include "real/train/train_options.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/schedule/setup_names.hpp"

namespace fourfold::real {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::max();

po::typed_value<std::string>* value(const char* name) {
  return po::value<std::string>()->value_name(name);
}

po::options_description model_and_data_options() {
  po::options_description options("What to train", 100);
  const auto files = po::value<std::vector<std::string>>()->multitoken()->value_name("FILE ...");
  const auto more_files =
      po::value<std::vector<std::string>>()->multitoken()->value_name("FILE ...");
  options.add_options()("model", value("NAME"), "model by name, or path of a JSON file");
  options.add_options()("data", files,
                        "text, nanoGPT .bin, Megatron-LM .bin/.idx, or folders of these");
  options.add_options()("validation-data", more_files, "files for the validation loss");
  options.add_options()("validation-fraction", value("F"),
                        "else: the last part of every file of --data; 0.1 if not given");
  options.add_options()("init", value("FILE"),
                        "initial weights: safetensors in Hugging Face's GPT-2 naming");
  options.add_options()("batch", value("N"), "sequences per step, over all ranks; 8 if not given");
  options.add_options()("micro-batch", value("N"),
                        "sequences per rank and micro-batch; all of a rank's if not given");
  options.add_options()("seq", value("N"), "tokens per sequence; the model's longest if not given");
  options.add_options()("steps", value("N"), "steps in total, resumed ones included");
  options.add_options()("seed", value("N"), "of weights, data order and dropout; 1 if not given");
  return options;
}

po::options_description method_options() {
  po::options_description options("How to train it", 100);
  add_backend_options(options);
  options.add_options()("grid", value("XxYxZxDATA"),
                        "ranks along x, y, z and data; 1x1x1x1 if not given");
  options.add_options()("order", value("AXES"),
                        "axes from neighbouring ranks outwards; xyzd if not given");
  options.add_options()("dtype", value("TYPE"), "fp32 (default), bf16, fp64");
  options.add_options()("overlap", value("WHAT"),
                        "none, paper, all (default), or a list of oar, ors, oag, odp");
  options.add_options()("recompute", value("full|none"),
                        "activations of a block: recomputed or kept (default)");
  options.add_options()("attention", value("flash|unfused"),
                        "attention kernel; flash if not given");
  options.add_options()("lr", value("X"), "highest learning rate; 1e-3 if not given");
  options.add_options()("min-lr", value("X"), "last learning rate; a tenth of --lr if not given");
  options.add_options()("warmup", value("N"),
                        "steps of linear warm-up; a tenth of --steps if not given");
  options.add_options()("weight-decay", value("X"), "of AdamW, on matrices; 0.1 if not given");
  options.add_options()("clip", value("X"),
                        "largest gradient norm, 0 = no clipping; 1 if not given");
  options.add_options()("dropout", value("P"), "probability; 0 if not given");
  return options;
}

po::options_description run_options() {
  po::options_description options("Watching and keeping", 100);
  options.add_options()("out", value("DIR"), "folder of checkpoints and metrics");
  options.add_options()("resume", "continue from the latest checkpoint in --out, if there is one");
  options.add_options()("save-every", value("N"), "steps between checkpoints; else one at the end");
  options.add_options()("keep", value("N"), "checkpoints to keep; 3 if not given");
  options.add_options()("eval-every", value("N"), "steps between validation losses; else never");
  options.add_options()("eval-batches", value("N"), "batches of a validation loss; 4 if not given");
  options.add_options()("metrics", value("FILE"),
                        "one JSON object a step; DIR/metrics.jsonl if --out is given");
  options.add_options()("metrics-tokens",
                        "also write every batch into the metrics, to feed another program");
  options.add_options()("log-every", value("N"),
                        "steps per printed line without a terminal; 10 if not given");
  options.add_options()(
      "peak-tflops", value("X"),
      "peak of one rank for the MFU; measured with a matrix product if not given");
  options.add_options()("profile", "time every operation (no overlap) and print a summary");
  options.add_options()("quiet", "print nothing but errors");
  options.add_options()("help", "this text");
  return options;
}

std::vector<std::filesystem::path> paths(const Arguments& arguments, const std::string& flag) {
  const std::vector<std::string> texts = arguments.texts(flag);
  return {texts.begin(), texts.end()};
}

std::optional<std::filesystem::path> optional_path(const Arguments& arguments,
                                                   const std::string& flag) {
  if (!arguments.has(flag)) return std::nullopt;
  return arguments.text(flag);
}

TrainConfig read_train_config(const Arguments& arguments, const GptConfig& model) {
  TrainConfig train;
  train.grid = Grid::parse(arguments.text("grid", "1x1x1x1"),
                           parse_axis_order(arguments.text("order", "xyzd")));
  train.batch = arguments.integer("batch", {1, kUnlimited}, 8);
  train.sequence = arguments.integer("seq", {1, kUnlimited}, model.sequence);
  train.micro_batch =
      arguments.integer("micro-batch", {1, kUnlimited},
                        std::max<std::int64_t>(1, train.batch / train.grid.size(kBatchAxes)));
  train.dtype = parse_dtype(arguments.text("dtype", "fp32"));
  train.overlap = parse_overlap(arguments.text("overlap", "all"));
  train.recompute = parse_recompute(arguments.text("recompute", "none"));
  train.attention = parse_attention(arguments.text("attention", "flash"));
  constexpr double kLargestProbability = 0.99;
  train.dropout = arguments.number("dropout", {0, kLargestProbability}, 0);
  train.optimizer.learning_rate = arguments.number("lr", {0, kInfinity}, 1e-3);
  train.optimizer.weight_decay = arguments.number("weight-decay", {0, kInfinity}, 0.1);
  train.optimizer.clip_norm = arguments.number("clip", {0, kInfinity}, 1);
  check_divisibility(model, train);
  return train;
}

void read_schedule(const Arguments& arguments, TrainRequest& request) {
  request.steps = parse_integer("steps", arguments.text("steps"), 0, kUnlimited);
  request.warmup_steps = arguments.integer("warmup", {0, kUnlimited}, request.steps / 10);
  const double peak = request.train.optimizer.learning_rate;
  request.final_learning_rate = arguments.number("min-lr", {0, peak}, peak / 10);
}

void read_keeping(const Arguments& arguments, TrainRequest& request) {
  request.out = arguments.text("out", "");
  request.resume = arguments.has("resume");
  request.save_every = arguments.integer("save-every", {1, kUnlimited}, 0);
  request.keep = static_cast<std::size_t>(arguments.integer("keep", {1, kUnlimited}, 3));
  for (const char* flag : {"save-every", "resume", "keep"}) {
    if (arguments.has(flag) && request.out.empty()) {
      throw ConfigError(fmt::format("--{} needs --out DIR, the folder of the checkpoints", flag));
    }
  }
}

void read_watching(const Arguments& arguments, TrainRequest& request) {
  request.evaluate_every = arguments.integer("eval-every", {1, kUnlimited}, 0);
  request.evaluation_batches = arguments.integer("eval-batches", {1, kUnlimited}, 4);
  request.log_every = arguments.integer("log-every", {1, kUnlimited}, 10);
  request.metrics = optional_path(arguments, "metrics");
  if (!request.metrics && !request.out.empty()) request.metrics = request.out / "metrics.jsonl";
  request.metrics_tokens = arguments.has("metrics-tokens");
  if (request.metrics_tokens && !request.metrics)
    throw ConfigError("--metrics-tokens needs --metrics FILE or --out DIR");
  if (arguments.has("peak-tflops")) {
    request.peak_flops = kTera * arguments.number("peak-tflops", {1e-9, kInfinity}, 0);
  }
  request.profile = arguments.has("profile");
  request.quiet = arguments.has("quiet");
}

}  // namespace

po::options_description train_options() {
  po::options_description options("", 100);
  return options.add(model_and_data_options()).add(method_options()).add(run_options());
}

TrainRequest read_train_request(const Arguments& arguments) {
  TrainRequest request;
  request.model = find_gpt_config(arguments.text("model"));
  request.train = read_train_config(arguments, request.model);
  request.seed = static_cast<std::uint64_t>(arguments.integer("seed", {0, kUnlimited}, 1));
  request.train.seed = request.seed;
  request.backend = read_backend_options(arguments);
  request.data = paths(arguments, "data");
  if (arguments.has("validation-data"))
    request.validation_data = paths(arguments, "validation-data");
  request.validation_fraction = request.validation_data.empty()
                                    ? arguments.number("validation-fraction", {0, 0.9}, 0.1)
                                    : 0.0;
  request.initial_weights = optional_path(arguments, "init");
  read_schedule(arguments, request);
  read_keeping(arguments, request);
  read_watching(arguments, request);
  return request;
}

}  // namespace fourfold::real
