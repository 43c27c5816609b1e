// Placements: shards cover the matrix, each element as often as it has replicas.

#include "core/tensor/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace fourfold {
namespace {

TEST(Placement, WorkedExampleOfTheHeader) {
  // W (4 x 6) on x=2, y=2, z=2; rank (1,0,1) = 1 + 4 holds the second half of the block rows 0-1, columns 3-5:
  // flattened block 3 4 5 | 9 10 11, second half 9 10 11.
  const std::vector<ShardRun> runs = shard_runs({4, 6}, {Axis::y, Axis::x, Axis::z}, Grid(2, 2, 2, 1), 5);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].global, 9);
  EXPECT_EQ(runs[0].count, 3);
}

TEST(Placement, FusedProjectionKeepsWholeHeadsOfEveryPart) {
  // Columns q0 q1 k0 k1 v0 v1 over x=2: rank 1 holds q1 k1 v1 = columns 1, 3, 5.
  const std::vector<ShardRun> runs = shard_runs({1, 6}, {{}, Axis::x, {}, 3}, Grid(2, 1, 1, 1), 1);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].global, 1);
  EXPECT_EQ(runs[1].global, 3);
  EXPECT_EQ(runs[2].global, 5);
}

TEST(Placement, ShardsCoverTheMatrixAsOftenAsItIsReplicated) {
  const Shape global = {24, 48};
  const std::vector<Placement> placements = {{Axis::y, Axis::x, Axis::z}, {Axis::x, Axis::y, Axis::z},
                                             {Axis::x | Axis::y, {}, Axis::z}, {{}, Axis::y, Axis::z},
                                             {{}, Axis::x, {}, 3}, {Axis::y, Axis::x, Axis::z, 3}};
  for (int ranks : {1, 2, 4, 6, 8, 12, 16, 24}) {
    for (const Grid& grid : all_grids(ranks)) {
      for (const Placement& placement : placements) {
        try {
          shard_elements(global, placement, grid, "w");
        } catch (const ShapeError&) {
          continue;  // this grid does not divide the matrix
        }
        std::vector<int> owners(static_cast<std::size_t>(element_count(global)), 0);
        for (int rank = 0; rank < ranks; ++rank) {
          std::int64_t expected_local = 0;
          for (const ShardRun& run : shard_runs(global, placement, grid, rank)) {
            ASSERT_EQ(run.local, expected_local);
            expected_local += run.count;
            for (std::int64_t i = 0; i < run.count; ++i) ++owners[static_cast<std::size_t>(run.global + i)];
          }
          ASSERT_EQ(expected_local, shard_elements(global, placement, grid, "w"));
        }
        const int copies = replicas(placement, grid) * grid.size(Axis::data);
        EXPECT_THAT(owners, testing::Each(copies)) << grid.to_string();
      }
    }
  }
}

TEST(Placement, NamesWhatDoesNotDivide) {
  try {
    local_block({10, 6}, {Axis::y, Axis::x, Axis::z}, Grid(1, 4, 1, 1), "blocks.0.mlp.fc1.weight");
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("blocks.0.mlp.fc1.weight rows 10 is not divisible by grid.y 4"));
  }
}

}  // namespace
}  // namespace fourfold
