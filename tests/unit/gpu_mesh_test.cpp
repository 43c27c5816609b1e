#include "core/cost/gpu_mesh.hpp"

#include <gtest/gtest.h>

#include "core/analytic/group_placement.hpp"
#include "core/base/error.hpp"
#include "core/cost/collective_model.hpp"
#include "tests/unit/cost_test_data.hpp"

namespace fourfold {
namespace {

using GpuSet = GpuMesh::GpuSet;

// The mesh drawn in gpu_mesh.hpp.
const std::vector<GpuLink> kSquare = {{0, 1, 200}, {2, 3, 200}, {0, 2, 50}, {1, 3, 50}};

// GCDs 4 5 2 3 6 7 0 1 of a Frontier node, in this order GPUs 0 to 7.
GpuMesh frontier(double detour_efficiency) {
  return {8,
          {{0, 1, 200e9},
           {2, 3, 200e9},
           {4, 5, 200e9},
           {6, 7, 200e9},
           {0, 2, 100e9},
           {4, 6, 100e9},
           {0, 4, 50e9},
           {1, 5, 50e9},
           {1, 7, 50e9},
           {2, 6, 50e9},
           {3, 5, 50e9},
           {3, 7, 50e9}},
          detour_efficiency};
}

TEST(GpuMesh, GivesPairsTheirLinkOrAPathAtALoss) {
  const GpuMesh mesh(4, kSquare, 0.5);
  EXPECT_DOUBLE_EQ(mesh.ring_bandwidth(GpuSet(0b0011)), 200);
  EXPECT_DOUBLE_EQ(mesh.ring_bandwidth(GpuSet(0b0101)), 50);
  EXPECT_DOUBLE_EQ(mesh.ring_bandwidth(GpuSet(0b1001)), 25);  // over 1 or 2: 50 x 0.5
}

TEST(GpuMesh, SendsRingsBothWays) {
  EXPECT_DOUBLE_EQ(GpuMesh(4, kSquare, 0.5).ring_bandwidth(GpuSet(0b1111)), 100);  // 2 x 50
  // A triangle of 30: three GPUs, each sends 30 one way and 30 the other.
  EXPECT_DOUBLE_EQ(
      GpuMesh(3, {{0, 1, 30}, {1, 2, 30}, {2, 0, 30}}, 1).ring_bandwidth(GpuSet(0b111)), 60);
}

// All eight: rings 4 5 1 0 2 3 7 6 and 4 5 7 6 0 1 3 2 share only the links of 200; each sends 50
// both ways.
TEST(GpuMesh, LaysRingsSideBySide) {
  EXPECT_DOUBLE_EQ(frontier(0.75).ring_bandwidth(GpuSet(0xff)), 200e9);
  EXPECT_DOUBLE_EQ(frontier(0.75).ring_bandwidth(GpuSet(0x55)), 100e9);
}

TEST(GpuMesh, RefusesGpusThatCannotReachEachOther) {
  EXPECT_THROW(GpuMesh(4, {{0, 1, 50}, {2, 3, 50}}, 1), ConfigError);
}

/// Mean over sibling groups, in 2^30 bytes/s, of an all_reduce of 1 GiB.
double frontier_GiBps(int inner, int group) {
  const LibraryConstants library = shipped_library("rccl-slingshot");
  const NodeLinks links = {.nic_bandwidth = 25e9,
                           .port_bandwidth = 150e9,
                           .gpus_per_node = 8,
                           .nics_per_node = 4,
                           .uneven = frontier(library.detour_efficiency)};
  const CollectiveModel model(library, links);
  double sum = 0;
  for (int offset = 0; offset < inner; ++offset) {
    GpuSet members;
    for (int i = 0; i < group; ++i) members.set(static_cast<std::size_t>(offset + i * inner));
    const GroupPlacement placement = {.ranks = group,
                                      .nodes = 1,
                                      .ranks_per_node = group,
                                      .ring_bandwidth = links.uneven.ring_bandwidth(members)};
    constexpr Bytes kSize = Bytes{1} << 30;
    sum += ring_bytes_per_rank(CollectiveKind::all_reduce, kSize, group) / kGiB /
           model.time_alone(CollectiveKind::all_reduce, kSize, placement);
  }
  return sum / inner;
}

// All six that the authors measured on a node (axonn-ai/Megatron-AxoNN, examples/comm_model.py); no
// more than three constants stand behind them.
TEST(GpuMesh, MeetsTheBandwidthsMeasuredOnFrontier) {
  EXPECT_NEAR(frontier_GiBps(1, 2), 129, 0.15 * 129);
  EXPECT_NEAR(frontier_GiBps(1, 4), 52, 0.10 * 52);
  EXPECT_NEAR(frontier_GiBps(1, 8), 135, 0.15 * 135);
  EXPECT_NEAR(frontier_GiBps(2, 2), 50, 0.10 * 50);
  EXPECT_NEAR(frontier_GiBps(2, 4), 72, 0.10 * 72);
  EXPECT_NEAR(frontier_GiBps(4, 2), 36, 0.10 * 36);
}

// x = 2 innermost: GPUs 0 1, 2 3, ... with 200 each. y = 2 beside x = 2: GPUs 0 2 have 100, 1 3
// only a detour of 50. Eight ranks a node along z, one each of four nodes: no ring inside.
TEST(GpuMesh, PlacesTheGroupWithTheNarrowestLinks) {
  const NodeLinks links = {.gpus_per_node = 8, .uneven = frontier(0.75)};
  const Grid grid(2, 2, 8, 1);
  EXPECT_DOUBLE_EQ(place_groups(Axis::x, grid, links).ring_bandwidth, 200e9);
  EXPECT_DOUBLE_EQ(place_groups(Axis::y, grid, links).ring_bandwidth, 37.5e9);
  EXPECT_DOUBLE_EQ(place_groups(Axis::z, grid, links).ring_bandwidth, 50e9);
  EXPECT_DOUBLE_EQ(place_groups(Axis::z, Grid(8, 1, 4, 1), links).ring_bandwidth, 0);
}

}  // namespace
}  // namespace fourfold
