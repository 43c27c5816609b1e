// fourfold-sim: chooses the subcommand and turns errors into messages and exit codes.

#include <array>
#include <iostream>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "sim/cli/command.hpp"

namespace fourfold::sim {
namespace {

const std::array kCommands = {&kSimulateCommand,  &kPlanCommand,     &kSweepCommand,
                              &kModelsCommand,    &kMachinesCommand, &kValidateCommand,
                              &kCollectiveCommand};

std::string usage() {
  std::string text =
      "fourfold-sim: simulates 4D-parallel training (3D tensor parallelism x data) on a "
      "machine.\n\nUsage:\n";
  for (const Command* command : kCommands) {
    text += fmt::format("  fourfold-sim {:<10} {}\n", command->name, command->summary);
  }
  return text +
         "\nfourfold-sim COMMAND --help explains a command and shows examples.\n"
         "Exit codes: 0 done, 1 failed or does not fit, 2 bad usage or input.\n";
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> known;
  for (const Command* command : kCommands) {
    if (command->name == name) return *command;
    known.emplace_back(command->name);
  }
  throw ConfigError(unknown_name_message("command", name, known));
}

int run(const Words& words) {
  if (words.empty()) throw ConfigError("no command given\n\n" + usage());
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::cout << usage();
    return 0;
  }
  return find_command(words[0]).run(Words(words.begin() + 1, words.end()));
}

/// A full disk or a closed pipe must not look like success.
void check_standard_output() {
  if (!std::cout.flush()) throw Error("standard output could not be written completely");
}

}  // namespace
}  // namespace fourfold::sim

int main(int argc, char** argv) {
  try {
    const int code = fourfold::sim::run({argv + 1, argv + argc});
    fourfold::sim::check_standard_output();
    return code;
  } catch (const fourfold::ConfigError& error) {
    fmt::print(stderr, "fourfold-sim: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "fourfold-sim: this computer's memory does not suffice; simulate fewer GPUs or "
               "micro-batches\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fourfold-sim: {}\n", error.what());
    return 1;
  }
}
