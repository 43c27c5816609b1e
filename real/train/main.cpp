// fourfold-train: chooses the command and turns errors into messages and exit codes. Under mpirun or srun every rank is
// watched by a process of its own.

#include <chrono>
#include <iostream>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"
#include "real/train/command.hpp"
#include "real/train/launcher.hpp"
#include "real/train/supervisor.hpp"

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

namespace {

/// An error that all processes of a parallel run meet, such as a wrong flag, is told by the first one: the others wait
/// until the launcher has stopped them.
int report(const char* message, int exit_code) {
  constexpr std::chrono::seconds kPatience{3};
  if (fourfold::real::launcher_rank() != 0) std::this_thread::sleep_for(kPatience);
  fmt::print(stderr, "fourfold-train: {}\n", message);
  return exit_code;
}

int run_and_report(const fourfold::Words& words) {
  try {
    const int code = fourfold::real::run(words);
    if (!std::cout.flush())
      throw fourfold::Error("standard output could not be written completely");
    return code;
  } catch (const fourfold::ConfigError& error) {
    return report(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return report(
        "this computer's memory does not suffice; choose a smaller model or --micro-batch", 1);
  } catch (const std::exception& error) {
    return report(error.what(), 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto program = [&] { return run_and_report({argv + 1, argv + argc}); };
  return fourfold::real::launcher_size() > 1 ? fourfold::real::run_supervised(program) : program();
}
