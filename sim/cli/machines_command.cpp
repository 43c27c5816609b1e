// fourfold-sim machines: the machines that are shipped, or one in full.

#include <iostream>

#include <fmt/format.h>

#include "sim/cli/command.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

int run_machines(const Words& words) {
  po::options_description options("Flags", 100);
  options.add_options()("help", "this text");
  options.add_options()(
      "machine", po::value<std::string>()->value_name("NAME"),
      "machine to describe, by name or path of a platform XML file (also without --machine)");
  const Arguments arguments(options, words, "machine");
  if (arguments.has("help")) {
    std::cout << "Usage: fourfold-sim machines [NAME]\n" << options;
  } else if (arguments.has("machine")) {
    std::cout << load_machine(find_machine(arguments.text("machine"))).summary();
  } else {
    for (const std::string& name : machine_names()) {
      std::cout << fmt::format("  {:<20} {}\n", name, find_machine(name).string());
    }
  }
  return 0;
}

}  // namespace

const Command kMachinesCommand = {
    "machines", "the machines that are shipped, or one of them in detail", run_machines};

}  // namespace fourfold::sim
