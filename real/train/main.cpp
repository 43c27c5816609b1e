// fourfold-train: chooses the command and turns errors into messages and exit codes.

#include <iostream>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "real/train/command.hpp"

namespace fourfold::real {
namespace {

constexpr const char* kUsage =
    "fourfold-train: trains GPTs with 4D parallelism (3D tensor parallelism x data).\n"
    "\n"
    "Usage:\n"
    "  fourfold-train [train] --model NAME --grid XxYxZxDATA --data FILE ...   trains a model\n"
    "  fourfold-train generate --checkpoint DIR --prompt TEXT                  continues a text\n"
    "  fourfold-train export --checkpoint DIR --file F.safetensors             weights for "
    "PyTorch\n"
    "\n"
    "fourfold-train COMMAND --help explains a command and shows examples.\n"
    "Exit codes: 0 done, 1 failed, 2 bad usage or input.\n";

int run(const Words& words) {
  if (words.empty()) throw ConfigError(fmt::format("no command given\n\n{}", kUsage));
  if (words[0] == "help") {
    std::cout << kUsage;
    return 0;
  }
  if (words[0].starts_with("--")) return train_command(words);
  const Words rest(words.begin() + 1, words.end());
  if (words[0] == "train") return train_command(rest);
  if (words[0] == "generate") return generate_command(rest);
  if (words[0] == "export") return export_command(rest);
  throw ConfigError(unknown_name_message("command", words[0], {"train", "generate", "export"}));
}

}  // namespace
}  // namespace fourfold::real

int main(int argc, char** argv) {
  try {
    const int code = fourfold::real::run({argv + 1, argv + argc});
    if (!std::cout.flush())
      throw fourfold::Error("standard output could not be written completely");
    return code;
  } catch (const fourfold::ConfigError& error) {
    fmt::print(stderr, "fourfold-train: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "fourfold-train: this computer's memory does not suffice; choose a smaller model or "
               "--micro-batch\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fourfold-train: {}\n", error.what());
    return 1;
  }
}
