#include <iostream>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/checkpoint/load.hpp"
#include "real/train/backend.hpp"
#include "real/train/checkpoint_flag.hpp"
#include "real/train/command.hpp"
#include "real/train/generator.hpp"

namespace fourfold::real {
namespace {

namespace po = boost::program_options;

/// The built-in tokenizer: every byte is a token.
constexpr std::int64_t kByteVocabulary = 256;

po::options_description generate_options() {
  po::options_description options("Options", 100);
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("checkpoint", value("DIR"), kCheckpointHelp);
  options.add_options()("prompt", value("TEXT"), "the beginning, for models trained on text");
  options.add_options()("prompt-tokens", value("IDS"),
                        "the beginning as ids, 1,2,3; prints ids as well");
  options.add_options()("tokens", value("N"), "tokens to add; 200 if not given");
  options.add_options()("temperature", value("T"),
                        "0 = the likeliest token, always; 0.8 if not given");
  options.add_options()("seed", value("N"), "of the draws; 1 if not given");
  options.add_options()("grid", value("XxYxZxDATA"), "1x1x1x1 if not given");
  options.add_options()("dtype", value("TYPE"), "fp32 (default), bf16, fp64");
  add_backend_options(options);
  options.add_options()("help", "this text");
  return options;
}

std::vector<std::int32_t> read_prompt(const Arguments& arguments, const GptConfig& model) {
  std::vector<std::int32_t> tokens;
  if (arguments.has("prompt-tokens")) {
    for (const std::string& id : split_list(arguments.text("prompt-tokens"))) {
      tokens.push_back(
          static_cast<std::int32_t>(parse_integer("prompt-tokens", id, 0, model.vocabulary - 1)));
    }
  } else {
    if (model.vocabulary != kByteVocabulary) {
      throw ConfigError(
          fmt::format("--prompt: the model has a vocabulary of {}, not the {} of the built-in byte "
                      "tokenizer; give --prompt-tokens",
                      model.vocabulary, kByteVocabulary));
    }
    for (const char letter : arguments.text("prompt"))
      tokens.push_back(static_cast<unsigned char>(letter));
  }
  if (tokens.empty()) throw ConfigError("the prompt is empty; give at least one token");
  return tokens;
}

struct GenerateRequest {
  std::filesystem::path checkpoint;
  GptConfig model;
  TrainConfig train;
  SamplingOptions sampling;
  std::vector<std::int32_t> prompt;
  std::int64_t tokens = 0;
  bool print_ids = false;
};

GenerateRequest read_request(const Arguments& arguments) {
  constexpr std::int64_t kMany = 1'000'000;
  GenerateRequest request;
  request.checkpoint = find_checkpoint(arguments.text("checkpoint"));
  request.model = read_model(request.checkpoint);
  request.prompt = read_prompt(arguments, request.model);
  request.print_ids = arguments.has("prompt-tokens");
  request.tokens = arguments.integer("tokens", {0, kMany}, 200);
  request.sampling.temperature = arguments.number("temperature", {0, 100}, 0.8);
  request.sampling.seed = static_cast<std::uint64_t>(arguments.integer("seed", {0, INT64_MAX}, 1));
  TrainConfig& train = request.train;
  train.grid = Grid::parse(arguments.text("grid", "1x1x1x1"));
  train.dtype = parse_dtype(arguments.text("dtype", "fp32"));
  train.sequence = std::min(request.model.sequence,
                            static_cast<std::int64_t>(request.prompt.size()) + request.tokens);
  train.batch = train.grid.size(kBatchAxes);
  train.recompute = Recompute::none;
  check_divisibility(request.model, train);
  return request;
}

void print_token(std::int32_t token, bool as_id) {
  if (as_id)
    std::cout << token << ' ';
  else
    std::cout << static_cast<char>(token);
  std::cout << std::flush;
}

void generate(RankContext& context, const GenerateRequest& request) {
  Gpt model(context, request.model, request.train);
  load_checkpoint(context, Checkpoint(request.checkpoint), model.parameters());
  Generator generator(context, model, request.train, request.sampling);
  std::vector<std::int32_t> tokens = request.prompt;
  const auto print_last = [&] {
    if (context.rank == 0) print_token(tokens.back(), request.print_ids);
  };
  if (context.rank == 0) {
    for (const std::int32_t token : tokens) print_token(token, request.print_ids);
  }
  for (std::int64_t i = 0; i < request.tokens; ++i) {
    tokens.push_back(generator.next(tokens));
    print_last();
  }
  if (context.rank == 0) std::cout << '\n';
}

}  // namespace

int generate_command(const Words& words) {
  const auto options = generate_options();
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout
        << "Continues a text with a trained model.\n\nExample:\n"
        << "  fourfold-train generate --checkpoint run --prompt \"The licence\" --tokens 100\n\n"
        << options << '\n';
    return 0;
  }
  const GenerateRequest request = read_request(arguments);
  run_on_backend(read_backend_options(arguments), request.train.grid,
                 [&](RankContext& context) { generate(context, request); });
  return 0;
}

}  // namespace fourfold::real
