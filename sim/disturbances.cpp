#include "sim/disturbances.hpp"

#include <set>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::sim {
namespace {

constexpr double kLargestSigma = 1.0;

/// A share of what is normal. NaN is out of range too.
void check_share(double value, const std::string& what) {
  if (value > 0 && value <= 1) return;
  throw ConfigError(fmt::format(
      "{} is {}; give a number above 0 and up to 1, where 1 changes nothing", what, value));
}

void check_slow_rank(const SlowRank& slow, int world_size) {
  if (slow.rank < 0 || slow.rank >= world_size) {
    throw ConfigError(fmt::format("slow rank {} is not in the grid; choose one from 0 to {}",
                                  slow.rank, world_size - 1));
  }
  check_share(slow.speed, fmt::format("the speed of slow rank {}", slow.rank));
}

Disturbances& add(std::vector<NamedDisturbance>& named, const std::string& name) {
  named.push_back({name, {}});
  return named.back().alone;
}

}  // namespace

bool Disturbances::any() const {
  return !slow_ranks.empty() || jitter_sigma > 0 || !degraded_links.empty() ||
         !background.empty() || !failed_links.empty();
}

std::vector<NamedDisturbance> one_by_one(const Disturbances& disturbances) {
  std::vector<NamedDisturbance> single;
  for (const SlowRank& slow : disturbances.slow_ranks) {
    const std::string name = fmt::format("rank {} at {} of its speed", slow.rank, slow.speed);
    add(single, name).slow_ranks = {slow};
  }
  if (disturbances.jitter_sigma > 0) {
    const std::string name =
        fmt::format("jitter of sigma {}, seed {}", disturbances.jitter_sigma, disturbances.seed);
    Disturbances& alone = add(single, name);
    alone.jitter_sigma = disturbances.jitter_sigma;
    alone.seed = disturbances.seed;
  }
  for (const DegradedLink& degraded : disturbances.degraded_links) {
    const std::string name =
        fmt::format("link {} at {} of its bandwidth", degraded.link, degraded.factor);
    add(single, name).degraded_links = {degraded};
  }
  for (const BackgroundTraffic& traffic : disturbances.background) {
    const std::string name =
        fmt::format("{} GB/s of another job on link {}", traffic.bandwidth / kGiga, traffic.link);
    add(single, name).background = {traffic};
  }
  for (const FailedLink& failed : disturbances.failed_links) {
    add(single, fmt::format("link {} failed", failed)).failed_links = {failed};
  }
  return single;
}

void check_disturbances(const Disturbances& disturbances, int world_size) {
  std::set<int> ranks;
  for (const SlowRank& slow : disturbances.slow_ranks) {
    check_slow_rank(slow, world_size);
    if (ranks.insert(slow.rank).second) continue;
    throw ConfigError(fmt::format("slow rank {} is named twice; name it once", slow.rank));
  }
  if (!(disturbances.jitter_sigma >= 0 && disturbances.jitter_sigma <= kLargestSigma)) {
    throw ConfigError(fmt::format("jitter of sigma {} is out of range; choose one from 0 to {}",
                                  disturbances.jitter_sigma, kLargestSigma));
  }
  for (const DegradedLink& degraded : disturbances.degraded_links) {
    if (degraded.factor == 0) {
      throw ConfigError(
          fmt::format("link {} with a bandwidth factor of 0 carries nothing; --fail {}",
                      degraded.link, degraded.link));
    }
    check_share(degraded.factor, fmt::format("the bandwidth factor of link {}", degraded.link));
  }
  for (const BackgroundTraffic& traffic : disturbances.background) {
    if (traffic.bandwidth > 0) continue;
    throw ConfigError(fmt::format("background traffic on link {} is {} GB/s; give more than 0",
                                  traffic.link, traffic.bandwidth / kGiga));
  }
}

}  // namespace fourfold::sim
