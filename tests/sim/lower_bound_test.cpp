// No collective may be faster than its wires: at least the latency of its steps, at least its bytes over the fastest
// way it has. Checked over sizes from one element to gigabytes, group shapes, and settings of the library.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

struct Setting {
  std::string name;
  Machine machine;
  Seconds fixed = 0;
};

std::vector<Setting> settings(int gpus_per_node, int nics_per_node) {
  const Machine plain = toy_machine("flat", gpus_per_node, nics_per_node);
  Setting low_latency = {"LL", plain, 10e-6};
  use_low_latency(low_latency.machine, 10e-6, 3e-6);
  Setting inefficient = {"inefficient", plain};
  for (RingConstants* ring :
       {&inefficient.machine.library.all_gather, &inefficient.machine.library.reduce_scatter}) {
    ring->simple = {
        .step_latency_network = 20e-6, .network_efficiency = 0.7, .node_efficiency = 0.5};
    ring->low_latency = {
        .step_latency_network = 5e-6, .network_efficiency = 0.2, .node_efficiency = 0.1};
  }
  return {{"plain", plain}, low_latency, inefficient};
}

/// The bound for groups along z, with k members of a group on each of its nodes.
Seconds lower_bound(CollectiveKind kind, Bytes full_bytes, int members, int k,
                    const Machine& machine) {
  constexpr Seconds kNodeHop = 2e-6;
  constexpr Seconds kNetworkHop = 4e-6;
  const double bytes = ring_bytes_per_rank(kind, full_bytes, members);
  const int steps = ring_step_count(kind, members);
  if (k == members) return std::max(steps * kNodeHop, bytes / machine.port_bandwidth);
  const int nics = std::max(1, k * machine.nics_per_node / machine.gpus_per_node);
  const Seconds ports = bytes * (k - 1) / k / machine.port_bandwidth;
  return std::max({steps * kNetworkHop, bytes / (nics * machine.nic_bandwidth), ports});
}

class LowerBound : public testing::TestWithParam<CollectiveKind> {};

TEST_P(LowerBound, HoldsForEverySizeGroupAndSetting) {
  const CollectiveKind kind = GetParam();
  constexpr Seconds kRounding =
      1e-9;  // flows are rounded to whole bytes, a tenth of a nanosecond each
  constexpr std::array<std::pair<int, int>, 5> kNodes = {
      {{1, 1}, {2, 2}, {4, 4}, {4, 2}, {16, 16}}};
  for (const auto& [gpus, nics] : kNodes) {
    for (const Setting& setting : settings(gpus, nics)) {
      for (const int inner : {1, 2, 4, 8}) {
        const Grid grid(inner, 1, 16 / inner, 1);
        const int members = grid.size(Axis::z);
        const int k = std::min(members, std::max(1, gpus / inner));
        for (Bytes bytes = 4 * members; bytes < 8'000'000'000; bytes *= 97) {
          const StepProgram program = one_collective(grid, kind, Axis::z, bytes);
          const Seconds time = simulate(program, grid, setting.machine).step_time;
          EXPECT_GE(time + kRounding,
                    setting.fixed + lower_bound(kind, bytes, members, k, setting.machine))
              << fmt::format("{} bytes on {}, {} GPUs and {} NICs a node, {}", bytes,
                             grid.to_string(), gpus, nics, setting.name);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LowerBound,
                         testing::Values(CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                         CollectiveKind::reduce_scatter),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace fourfold::sim
