#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"
#include "core/base/names.hpp"

namespace fourfold {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Math, Divisors) {
  EXPECT_THAT(divisors(1), ElementsAre(1));
  EXPECT_THAT(divisors(36), ElementsAre(1, 2, 3, 4, 6, 9, 12, 18, 36));
}

TEST(Math, DivideExactlyNamesTheChoices) {
  EXPECT_EQ(divide_exactly(56, "heads", 8, "grid.x"), 7);
  try {
    divide_exactly(56, "heads", 16, "grid.x");
    FAIL() << "56 / 16 was accepted";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "heads 56 is not divisible by grid.x 16; choose 1, 2, 4, 7, 8, 14, 28, 56");
  }
}

TEST(Math, DivideExactlyRefusesZeroAndNegative) {
  EXPECT_THROW(divide_exactly(8, "a", 0, "b"), ShapeError);
  EXPECT_THROW(divide_exactly(-8, "a", 2, "b"), ShapeError);
}

TEST(Math, MultiplyCheckedRefusesOverflow) {
  EXPECT_EQ(multiply_checked(1LL << 31, 1LL << 31, "tokens"), 1LL << 62);
  EXPECT_THROW(multiply_checked(1LL << 32, 1LL << 32, "tokens"), ConfigError);
}

TEST(Names, NearestName) {
  const std::vector<std::string> known = {"gpt-5b", "gpt-80b", "gpt2-xl"};
  EXPECT_EQ(nearest_name("gpt-80", known), "gpt-80b");
  EXPECT_EQ(nearest_name("zzzzzzzzz", known), "");
  EXPECT_THAT(unknown_name_message("model", "gtp-80b", known), HasSubstr("did you mean \"gpt-80b\"?"));
}

TEST(Errors, OutOfMemorySaysNeededAndFree) {
  const OutOfMemory error(3LL << 30, 1LL << 30, "forward/block 3");
  EXPECT_STREQ(error.what(), "out of memory at forward/block 3: 3.00 GiB needed, 1.00 GiB free");
}

}  // namespace
}  // namespace fourfold
