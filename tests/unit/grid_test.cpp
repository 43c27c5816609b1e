// The grid: rank <-> coordinate, groups, orders. Expectations are written out by hand or hold for every grid.

#include "core/grid/grid.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace fourfold {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<AxisSet> kSomeAxisSets = {Axis::x, Axis::y, Axis::z, Axis::data, Axis::x | Axis::y,
                                            Axis::z | Axis::data, kTensorAxes, Axis::x | Axis::z};

TEST(Grid, WorkedExampleOfTheHeader) {
  const Grid grid(2, 2, 2, 1);
  EXPECT_THAT(grid.group(5, Axis::x).ranks, ElementsAre(4, 5));
  EXPECT_THAT(grid.group(5, Axis::y).ranks, ElementsAre(5, 7));
  EXPECT_THAT(grid.group(5, Axis::z).ranks, ElementsAre(1, 5));
  EXPECT_THAT(grid.group(7, Axis::x | Axis::y).ranks, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(grid.group(2, Axis::z | Axis::data).ranks, ElementsAre(2, 6));
  EXPECT_EQ(grid.group(5, Axis::x).index, 1);
  EXPECT_EQ(grid.group(5, Axis::y).index, 0);
  EXPECT_EQ(grid.group(5, Axis::z).index, 1);
}

TEST(Grid, PaperExampleOfXAndYGroups) {
  // SC24, section V.A: X groups (0,1)(2,3)(4,5)(6,7), Y groups (0,2)(1,3)(4,6)(5,7).
  const Grid grid(2, 2, 2, 1);
  EXPECT_THAT(grid.groups(Axis::x)[3].ranks, ElementsAre(6, 7));
  EXPECT_THAT(grid.groups(Axis::y)[1].ranks, ElementsAre(1, 3));
  EXPECT_THAT(grid.groups(Axis::y)[3].ranks, ElementsAre(5, 7));
}

TEST(Grid, AxoNNsCodeOrderPutsYInnermost) {
  const Grid grid(2, 4, 1, 1, parse_axis_order("yxzd"));
  EXPECT_THAT(grid.group(0, Axis::y).ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(grid.group(0, Axis::x).ranks, ElementsAre(0, 4));
}

TEST(Grid, CoordinatesAndRanksAreInverse) {
  for (int ranks : {1, 6, 16, 24}) {
    for (const char* order : {"xyzd", "yxzd", "dzyx"}) {
      for (const Grid& grid : all_grids(ranks, parse_axis_order(order))) {
        for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(grid.rank(grid.coordinate(rank)), rank);
      }
    }
  }
}

TEST(Grid, GroupsPartitionTheWorldForAllGridsOfUpTo64Ranks) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    for (const Grid& grid : all_grids(ranks)) {
      for (AxisSet axes : kSomeAxisSets) {
        std::set<int> seen;
        for (const ProcessGroup& group : grid.groups(axes)) {
          ASSERT_EQ(group.size(), grid.size(axes));
          ASSERT_TRUE(std::is_sorted(group.ranks.begin(), group.ranks.end()));
          for (int i = 0; i < group.size(); ++i) {
            const int member = group.ranks[static_cast<std::size_t>(i)];
            ASSERT_TRUE(seen.insert(member).second);
            ASSERT_EQ(grid.index_in_group(member, axes), i);
          }
        }
        ASSERT_EQ(static_cast<int>(seen.size()), ranks);
      }
    }
  }
}

TEST(Grid, AllGridsCountsEveryFactoring) {
  // Ordered factorings of 2^k in 4 factors: (k + 3 choose 3). k = 3: 20; k = 10: 286.
  EXPECT_EQ(all_grids(8).size(), 20U);
  EXPECT_EQ(all_grids(1024).size(), 286U);
}

TEST(Grid, ParseAcceptsAndPrints) {
  const Grid grid = Grid::parse("4x1x32x8");
  EXPECT_EQ(grid.to_string(), "4x1x32x8");
  EXPECT_EQ(grid.world_size(), 1024);
  EXPECT_EQ(grid.stride(Axis::data), 128);
}

std::string error_of(std::string_view text) {
  try {
    Grid::parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Grid, ParseRefusesWithTheRemedy) {
  for (const char* text : {"", "4", "4x1x32", "4x1x32x8x2", "4x1x32x8 ", "axbxcxd", "4,1,32,8", "1.5x1x1x1"}) {
    EXPECT_THAT(error_of(text), HasSubstr("4x1x32x8")) << text;
  }
  EXPECT_THAT(error_of("0x1x1x1"), HasSubstr("at least 1"));
  EXPECT_THAT(error_of("-4x1x1x1"), HasSubstr("at least 1"));
  EXPECT_THAT(error_of("99999999999x1x1x1"), HasSubstr("too large"));
  EXPECT_THAT(error_of("65536x65536x1x1"), HasSubstr("32-bit"));
}

TEST(AxisOrder, RefusesRepeatsAndUnknownLetters) {
  for (const char* text : {"xyz", "xxzd", "xyzq", "xyzdd"}) EXPECT_THROW(parse_axis_order(text), ConfigError) << text;
}

}  // namespace
}  // namespace fourfold
