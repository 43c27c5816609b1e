#include "sim/cli/disturbance_options.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::sim {
namespace {

namespace po = boost::program_options;

constexpr Bounds<double> kAnyNumber = {std::numeric_limits<double>::lowest(),
                                       std::numeric_limits<double>::max()};

/// "17:0.8" as ("17", 0.8).
std::pair<std::string, double> parse_pair(const std::string& flag, const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    throw ConfigError(fmt::format("--{} {}: needs a name, a colon and a number, such as {}", flag,
                                  text, flag == "slow" ? "17:0.8" : "nic-3:0.5"));
  }
  return {text.substr(0, colon), parse_number(flag, text.substr(colon + 1), kAnyNumber)};
}

std::vector<std::pair<std::string, double>> parse_pairs(const Arguments& arguments,
                                                        const std::string& flag) {
  std::vector<std::pair<std::string, double>> pairs;
  if (!arguments.has(flag)) return pairs;
  for (const std::string& text : arguments.texts(flag)) pairs.push_back(parse_pair(flag, text));
  return pairs;
}

}  // namespace

po::options_description disturbance_options() {
  po::options_description options("What goes wrong (repeatable, or several after commas)", 100);
  const auto list = [](const char* name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(name);
  };
  const auto value = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("slow", list("RANK:SPEED"),
                        "kernels of a rank at SPEED times normal speed");
  options.add_options()("jitter", value("SIGMA"),
                        "every run of kernels takes a log-normal factor of mean 1 as long");
  options.add_options()("seed", value("N"), "of the jitter; 1 if not given");
  options.add_options()("degrade", list("LINK:FACTOR"),
                        "bandwidth of a link times FACTOR; links as the report names them, or "
                        "nic-N for both directions");
  options.add_options()("fail", list("LINK"),
                        "a link that carries nothing; GPUs of a failed nic-N use the other NICs of "
                        "their node");
  options.add_options()("background", list("LINK:GBps"),
                        "bandwidth that another job takes from a link all the time");
  return options;
}

Disturbances read_disturbances(const Arguments& arguments) {
  Disturbances disturbances;
  for (const auto& [rank, speed] : parse_pairs(arguments, "slow")) {
    const std::int64_t number = parse_integer("slow", rank, 0, std::numeric_limits<int>::max());
    disturbances.slow_ranks.push_back({static_cast<int>(number), speed});
  }
  disturbances.jitter_sigma = arguments.number("jitter", kAnyNumber, 0.0);
  disturbances.seed = static_cast<std::uint64_t>(
      arguments.integer("seed", {0, std::numeric_limits<std::int64_t>::max()}, 1));
  for (const auto& [link, factor] : parse_pairs(arguments, "degrade")) {
    disturbances.degraded_links.push_back({link, factor});
  }
  for (const auto& [link, bandwidth_GBps] : parse_pairs(arguments, "background")) {
    disturbances.background.push_back({link, bandwidth_GBps * kGiga});
  }
  if (arguments.has("fail")) disturbances.failed_links = arguments.texts("fail");
  return disturbances;
}

}  // namespace fourfold::sim
