#include "core/cost/gpu_mesh.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold {
namespace {

constexpr int kMost = GpuMesh::kMostGpus;

template <typename Value>
using PairTable = std::array<std::array<Value, kMost>, kMost>;

/// Paths between all pairs of GPUs.
class Routes {
 public:
  Routes(int gpus, const std::vector<GpuLink>& links) {
    for (const GpuLink& link : links) {
      const std::vector<int> steps = {link.first, link.second};
      path(link.first, link.second) = {link.bandwidth, steps, true};
      path(link.second, link.first) = {link.bandwidth, {steps.rbegin(), steps.rend()}, true};
    }
    // Floyd and Warshall's algorithm; a link is never left for a detour.
    for (int middle = 0; middle < gpus; ++middle) {
      for (int from = 0; from < gpus; ++from) {
        for (int to = 0; to < gpus; ++to) join(from, middle, to);
      }
    }
  }

  struct Path {
    BytesPerSecond bandwidth = 0;  ///< of its narrowest link
    std::vector<int> gpus;         ///< both ends included; empty where there is no path
    bool link = false;
  };
  const Path& between(int from, int to) const {
    return paths_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

 private:
  Path& path(int from, int to) {
    return paths_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

  void join(int from, int middle, int to) {
    const Path& head = between(from, middle);
    const Path& tail = between(middle, to);
    Path& present = path(from, to);
    if (from == to || present.link || head.gpus.empty() || tail.gpus.empty()) return;
    const BytesPerSecond bandwidth = std::min(head.bandwidth, tail.bandwidth);
    const std::size_t length = head.gpus.size() + tail.gpus.size() - 1;
    if (!present.gpus.empty() && length > present.gpus.size()) return;
    if (length == present.gpus.size() && bandwidth <= present.bandwidth) return;
    std::vector<int> gpus = head.gpus;
    gpus.insert(gpus.end(), tail.gpus.begin() + 1, tail.gpus.end());
    present = {bandwidth, std::move(gpus), false};
  }

  PairTable<Path> paths_;
};

/// What each link has left, by its ends in ascending order.
using Capacity = PairTable<BytesPerSecond>;
/// How often a ring's bytes pass each link, likewise.
using Load = PairTable<double>;

template <typename Value>
Value& of_link(PairTable<Value>& table, int a, int b) {
  return table[static_cast<std::size_t>(std::min(a, b))][static_cast<std::size_t>(std::max(a, b))];
}

Load load_of(const std::vector<int>& ring, const Routes& routes, double detour_efficiency) {
  Load load{};
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Routes::Path& path = routes.between(ring[i], ring[(i + 1) % ring.size()]);
    for (std::size_t step = 0; step + 1 < path.gpus.size(); ++step) {
      of_link(load, path.gpus[step], path.gpus[step + 1]) += path.link ? 1 : 1 / detour_efficiency;
    }
  }
  return load;
}

BytesPerSecond rate_of(const Load& load, const Capacity& capacity) {
  BytesPerSecond rate = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < load.size(); ++a) {
    for (std::size_t b = a + 1; b < load.size(); ++b) {
      if (load[a][b] > 0) rate = std::min(rate, capacity[a][b] / load[a][b]);
    }
  }
  return rate;
}

double sum(const Load& load) {
  double total = 0;
  for (const auto& row : load) total = std::accumulate(row.begin(), row.end(), total);
  return total;
}

struct RingChoice {
  Load load{};
  BytesPerSecond rate = 0;  ///< per direction
};

/// The fastest of all cyclic orders of three members or more; of equals the one that loads the
/// links least.
RingChoice fastest_ring(std::vector<int> members, const Routes& routes, double detour_efficiency,
                        const Capacity& capacity) {
  RingChoice best;
  do {
    if (members[1] > members.back()) continue;  // the same ring, the other way round
    const Load load = load_of(members, routes, detour_efficiency);
    const BytesPerSecond rate = rate_of(load, capacity);
    if (rate > best.rate || (rate == best.rate && sum(load) < sum(best.load))) best = {load, rate};
  } while (std::next_permutation(members.begin() + 1, members.end()));
  return best;
}

BytesPerSecond rings_bandwidth(const std::vector<int>& members, const Routes& routes,
                               double detour_efficiency, Capacity capacity) {
  if (members.size() == 2) {
    const Routes::Path& path = routes.between(members[0], members[1]);
    return path.bandwidth * (path.link ? 1 : detour_efficiency);
  }
  const BytesPerSecond rate = fastest_ring(members, routes, detour_efficiency, capacity).rate;
  BytesPerSecond total = 0;
  for (;;) {
    const RingChoice next = fastest_ring(members, routes, detour_efficiency, capacity);
    if (next.rate < rate) return total;
    total += 2 * rate;
    for (std::size_t a = 0; a < capacity.size(); ++a) {
      for (std::size_t b = 0; b < capacity.size(); ++b) capacity[a][b] -= rate * next.load[a][b];
    }
  }
}

}  // namespace

GpuMesh::GpuMesh(int gpus, std::vector<GpuLink> links, double detour_efficiency)
    : links_(std::move(links)), ring_bandwidths_(std::size_t{1} << gpus, 0.0) {
  const Routes routes(gpus, links_);
  Capacity capacity{};
  for (const GpuLink& link : links_) of_link(capacity, link.first, link.second) = link.bandwidth;
  for (int gpu = 1; gpu < gpus; ++gpu) {
    if (routes.between(0, gpu).gpus.empty())
      throw ConfigError(fmt::format("no links lead from GPU 0 to GPU {}", gpu));
  }
  for (std::size_t set = 0; set < ring_bandwidths_.size(); ++set) {
    std::vector<int> members;
    for (int gpu = 0; gpu < gpus; ++gpu) {
      if (GpuSet(set).test(static_cast<std::size_t>(gpu))) members.push_back(gpu);
    }
    if (members.size() >= 2)
      ring_bandwidths_[set] = rings_bandwidth(members, routes, detour_efficiency, capacity);
  }
}

}  // namespace fourfold
