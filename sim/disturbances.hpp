#pragma once
// What goes wrong on a real machine, as questions to ask: a slow GPU, jitter, a bad cable, another job.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace fourfold::sim {

/// A rank whose kernels run at `speed` times the normal speed, 0 < speed <= 1.
struct SlowRank {
  int rank = 0;
  double speed = 1;
};

/// A link with `factor` times its bandwidth, 0 < factor <= 1. `link` is SimGrid's name, that without
/// _UP or _DOWN for both directions of a cable, or "nic-3" for both of NIC 3.
struct DegradedLink {
  std::string link;
  double factor = 1;
};

/// A link that carries nothing, named like a degraded one. The job is taken to have started on the machine as it is: a
/// GPU whose NIC has failed, in one direction or both, uses another NIC of its node, the next ones in turn. Where no way
/// leads around a failed link, the step cannot run.
using FailedLink = std::string;

/// A link on which another job takes `bandwidth` all the time, whatever ours does: it is subtracted from the link.
struct BackgroundTraffic {
  std::string link;
  BytesPerSecond bandwidth = 0;
};

/// Everything that disturbs one step. Collectives choose algorithm and protocol as if nothing did.
struct Disturbances {
  std::vector<SlowRank> slow_ranks{};
  /// Every run of kernels between two communications takes exp(sigma n - sigma^2 / 2) times as long, with n standard
  /// normal, drawn anew for each rank and run: log-normal with mean 1.
  double jitter_sigma = 0;
  std::uint64_t seed = 1;
  std::vector<DegradedLink> degraded_links{};
  std::vector<BackgroundTraffic> background{};
  std::vector<FailedLink> failed_links{};

  bool any() const;
};

/// One disturbance with a name for people: "rank 17 at 0.8 of its speed".
struct NamedDisturbance {
  std::string name;
  Disturbances alone;
};

/// Each disturbance by itself.
std::vector<NamedDisturbance> one_by_one(const Disturbances& disturbances);

/// Throws ConfigError for ranks outside the world or named twice and for values out of range. Links are checked where
/// the network is known.
void check_disturbances(const Disturbances& disturbances, int world_size);

}  // namespace fourfold::sim
