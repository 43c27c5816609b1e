// fourfold-sim models: the models that are shipped, or one in full.

#include <iostream>

#include <fmt/format.h>

#include "core/models/gpt_config.hpp"
#include "sim/cli/command.hpp"
#include "sim/report/text_table.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

std::string billions(std::int64_t parameters) {
  return fmt::format("{:.3f}", static_cast<double>(parameters) / kGiga);
}

std::string list_of_models() {
  TextTable table({"model", "parameters B", "layers", "hidden", "heads", "sequence", "vocabulary"});
  for (const std::string& name : model_names()) {
    const GptConfig model = find_gpt_config(name);
    table.add_row({name, billions(model.parameters()), grouped(model.layers), grouped(model.hidden),
                   grouped(model.heads), grouped(model.sequence), grouped(model.vocabulary)});
  }
  return table.to_string();
}

std::string details(const GptConfig& model) {
  TextTable table({model.name, ""});
  table.add_row({"parameters", grouped(model.parameters())});
  table.add_row({"layers", grouped(model.layers)});
  table.add_row({"hidden size", grouped(model.hidden)});
  table.add_row({"attention heads", grouped(model.heads)});
  table.add_row({"feed-forward size", grouped(model.ffn)});
  table.add_row({"longest sequence", grouped(model.sequence)});
  table.add_row({"vocabulary", grouped(model.vocabulary)});
  table.add_row({"tied embeddings", model.tied ? "yes" : "no"});
  table.add_row(
      {"model TFLOP per sequence", fmt::format("{:.2f}", model.formula_model_flops(1) / kTera)});
  return table.to_string() + (model.description.empty() ? "" : "\n  " + model.description + "\n");
}

int run_models(const Words& words) {
  po::options_description options("Flags", 100);
  options.add_options()("help", "this text");
  options.add_options()("model", po::value<std::string>()->value_name("NAME"),
                        "model to describe, by name or path of a JSON file (also without --model)");
  const Arguments arguments(options, words, "model");
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim models [NAME]\n" << options;
  } else if (arguments.has("model")) {
    std::cout << details(find_gpt_config(arguments.text("model")));
  } else {
    std::cout << list_of_models();
  }
  return 0;
}

}  // namespace

const Command kModelsCommand = {"models", "the models that are shipped, or one of them in detail",
                                run_models};

}  // namespace fourfold::sim
