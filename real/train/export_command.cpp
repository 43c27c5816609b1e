#include <iostream>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/checkpoint/hugging_face.hpp"
#include "real/train/checkpoint_flag.hpp"
#include "real/train/command.hpp"

namespace fourfold::real {

int export_command(const Words& words) {
  namespace po = boost::program_options;
  po::options_description options("Options", 100);
  options.add_options()("checkpoint", po::value<std::string>()->value_name("DIR"), kCheckpointHelp);
  options.add_options()("file", po::value<std::string>()->value_name("FILE"),
                        "safetensors file to write");
  options.add_options()("help", "this text");
  const Arguments arguments(options, words);
  if (arguments.has("help")) {
    std::cout << "Writes the weights of a checkpoint as one safetensors file in Hugging Face's "
                 "GPT-2 naming.\n\n"
              << "Example:\n  fourfold-train export --checkpoint run --file model.safetensors\n\n"
              << options << '\n';
    return 0;
  }
  const std::filesystem::path file = arguments.text("file");
  if (std::filesystem::exists(file)) {
    throw ConfigError(
        fmt::format("--file {} exists; choose another name or remove it", file.string()));
  }
  export_weights(Checkpoint(find_checkpoint(arguments.text("checkpoint"))), file);
  return 0;
}

}  // namespace fourfold::real
