// Which rank reads what: shuffled, complete, and the same on every grid.

#include "real/data/batches.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "core/base/error.hpp"
#include "real/data/permutation.hpp"
#include "tests/support/temporary_directory.hpp"

namespace fourfold::real {
namespace {

using test::message_of;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PermutationTest, IsABijectionForEverySize) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 16, 17, 1000, 4097}) {
    const Permutation permutation(42, size);
    std::set<std::int64_t> images;
    for (std::int64_t i = 0; i < size; ++i) images.insert(permutation(i));
    EXPECT_EQ(static_cast<std::int64_t>(images.size()), size);
    EXPECT_EQ(*images.begin(), 0);
    EXPECT_EQ(*images.rbegin(), size - 1);
  }
}

TEST(PermutationTest, ShufflesAndDependsOnTheKey) {
  constexpr std::int64_t kSize = 1000;
  const Permutation one(1, kSize), two(2, kSize);
  int fixed = 0, neighbours = 0, equal = 0;
  for (std::int64_t i = 0; i < kSize; ++i) {
    fixed += one(i) == i;
    neighbours += one(i) + 1 == one((i + 1) % kSize);
    equal += one(i) == two(i);
  }
  // Each is 1 on average in a random order; 10 or more happen with probability 1e-7 (Poisson).
  EXPECT_LT(fixed, 10);
  EXPECT_LT(neighbours, 10);
  EXPECT_LT(equal, 10);
}

/// 0, 1, 2, ... as tokens, so that a token tells its place.
class BatchesTest : public testing::Test {
 protected:
  Batches batches(std::int64_t tokens, std::int64_t sequence, std::uint64_t seed = 1) const {
    std::vector<std::uint16_t> ids;
    for (std::int64_t i = 0; i < tokens; ++i) ids.push_back(static_cast<std::uint16_t>(i));
    return {Corpus({directory_.file_of("tokens.bin", ids)}, 65536), sequence, seed, "training"};
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(BatchesTest, TargetsAreTheTokensOnePositionOn) {
  const RankBatch batch = batches(41, 4).read(0, 3, 0, 1);
  ASSERT_EQ(batch.tokens.size(), 12U);
  for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
    EXPECT_EQ(batch.targets[i], batch.tokens[i] + 1);
    EXPECT_EQ(batch.tokens[i] % 4,
              static_cast<std::int32_t>(i % 4));  // windows begin at multiples of 4
  }
}

TEST_F(BatchesTest, AnEpochVisitsEveryWindowOnce) {
  const Batches data = batches(41, 4);  // (41 - 1) / 4 = 10 windows
  ASSERT_EQ(data.windows(), 10);
  for (const std::int64_t epoch : {0, 1}) {
    const RankBatch batch = data.read(epoch * 10, 10, 0, 1);
    std::vector<std::int32_t> tokens = batch.tokens;
    std::sort(tokens.begin(), tokens.end());
    for (std::int32_t i = 0; i < 40; ++i) EXPECT_EQ(tokens[static_cast<std::size_t>(i)], i);
  }
  EXPECT_NE(data.read(0, 10, 0, 1).tokens, data.read(10, 10, 0, 1).tokens)
      << "epochs differ in order";
}

TEST_F(BatchesTest, OrderDependsOnTheSeed) {
  EXPECT_NE(batches(401, 4, 1).read(0, 10, 0, 1).tokens,
            batches(401, 4, 2).read(0, 10, 0, 1).tokens);
  EXPECT_EQ(batches(401, 4, 1).read(0, 10, 0, 1).tokens,
            batches(401, 4, 1).read(0, 10, 0, 1).tokens);
}

TEST_F(BatchesTest, PartsMakeUpTheSameBatchHoweverManyThereAre) {
  const Batches data = batches(401, 4);
  const RankBatch whole = data.read(24, 12, 0, 1);
  for (const int parts : {2, 3, 4, 6, 12}) {
    RankBatch joined;
    for (int part = 0; part < parts; ++part) {
      const RankBatch own = data.read(24, 12, part, parts);
      joined.tokens.insert(joined.tokens.end(), own.tokens.begin(), own.tokens.end());
      joined.targets.insert(joined.targets.end(), own.targets.begin(), own.targets.end());
    }
    EXPECT_EQ(joined.tokens, whole.tokens) << parts;
    EXPECT_EQ(joined.targets, whole.targets) << parts;
  }
}

TEST_F(BatchesTest, ABatchMayCrossEpochs) {
  const Batches data = batches(41, 4);  // 10 windows
  const RankBatch batch = data.read(8, 4, 0, 1);
  const RankBatch last = data.read(8, 2, 0, 1), first = data.read(10, 2, 0, 1);
  EXPECT_TRUE(std::equal(last.tokens.begin(), last.tokens.end(), batch.tokens.begin()));
  EXPECT_TRUE(std::equal(first.tokens.begin(), first.tokens.end(), batch.tokens.begin() + 8));
}

TEST_F(BatchesTest, TooShortTextIsRefused) {
  EXPECT_EQ(batches(5, 4).windows(), 1);
  EXPECT_THAT(message_of<ConfigError>([&] { batches(4, 4); }),
              HasSubstr("the training data has 4 tokens, but a sequence of 4 needs at least 5"));
}

}  // namespace
}  // namespace fourfold::real
