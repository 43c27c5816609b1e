// Failures of the reference backend: ranks that throw or wait for each other, events nobody waited for. Collectives
// that do not match are in mismatch_test.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "real/reference/run_ranks.hpp"
#include "tests/support/tensor_values.hpp"

namespace fourfold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Grid kPair(2, 1, 1, 1);

std::string error_of(const Grid& grid, const std::function<void(RankContext&)>& program) {
  try {
    real::run_ranks(grid, program);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Tensor ones(RankContext& context, std::int64_t count, DType dtype = DType::float32) {
  return tensor_of(context.device, {count}, dtype,
                   std::vector<double>(static_cast<std::size_t>(count), 1.0));
}

TEST(ReferenceFailure, OneRankStopsAllWithItsMessage) {
  EXPECT_THROW(real::run_ranks(Grid(2, 2, 2, 1),
                               [](RankContext& context) {
                                 if (context.rank == 5)
                                   throw ConfigError("rank five has had enough");
                                 all_reduce(context, kTensorAxes, ones(context, 1));
                               }),
               ConfigError);
  EXPECT_THAT(error_of(Grid(2, 2, 2, 1),
                       [](RankContext& context) {
                         if (context.rank == 5) throw ConfigError("rank five has had enough");
                         all_reduce(context, kTensorAxes, ones(context, 1));
                       }),
              HasSubstr("rank five has had enough"));
}

TEST(ReferenceFailure, DifferentGroupsAreFoundInsteadOfHanging) {
  EXPECT_THAT(error_of(Grid(2, 2, 1, 1),
                       [](RankContext& context) {
                         all_reduce(context, context.rank == 0 ? Axis::x : Axis::y,
                                    ones(context, 1));
                       }),
              AllOf(HasSubstr("over x"), HasSubstr("over y"), HasSubstr("rank 0"),
                    HasSubstr("waits for rank")));
}

TEST(ReferenceFailure, ARankThatEndsEarlyIsFound) {
  EXPECT_THAT(error_of(kPair,
                       [](RankContext& context) {
                         if (context.rank == 0) all_reduce(context, Axis::x, ones(context, 1));
                       }),
              AllOf(HasSubstr("rank 0 waits for rank 1"), HasSubstr("all_reduce")));
}

TEST(ReferenceFailure, ShapesAreCheckedWithKernelAndPlace) {
  EXPECT_THAT(
      error_of(
          Grid(),
          [](RankContext& context) {
            const Range range(context.device, "block 7");
            const Tensor a = tensor_of(context.device, {2, 3}, DType::float64, {1, 2, 3, 4, 5, 6});
            launch(context, AddBias{a, flat_slice(a, 0, 2), a});
          }),
      AllOf(HasSubstr("add_bias"), HasSubstr("bias"), HasSubstr("block 7")));
  EXPECT_THROW(real::run_ranks(kPair,
                               [](RankContext& context) {
                                 const Tensor a = ones(context, 3);
                                 context.communicator.launch(
                                     Stream::comm_x,
                                     {CollectiveKind::all_gather, Axis::x, a, a, Reduction::sum});
                               }),
               ShapeError);
}

TEST(ReferenceFailure, AnEventNobodyRecordedIsRefused) {
  EXPECT_THAT(
      error_of(Grid(),
               [](RankContext& context) { context.device.wait(Stream::compute, Event{3}); }),
      HasSubstr("event 3"));
}

TEST(ReferenceShuffling, FindsAMissingWait) {
  // The communication stream does not wait for the fill: in some order it copies what was there before.
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    real::run_ranks(Grid(),
                    [&](RankContext& context) {
                      const Tensor a = ones(context, 1);
                      const Tensor b = ones(context, 1);
                      context.device.synchronize();
                      launch(context, Fill{a, 2});
                      context.device.launch(Stream::comm_x, Cast{a, b});
                      if (download_values(context.device, b, Stream::comm_x)[0] != 2) ++wrong;
                    },
                    {.shuffle_seed = seed});
  }
  EXPECT_GT(wrong, 3);
  EXPECT_LT(wrong, 17);
}

TEST(ReferenceMemory, IsFilledWithNaN) {
  for (DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
    real::run_ranks(Grid(), [&](RankContext& context) {
      const Tensor fresh = context.device.allocate({3}, dtype, MemoryKind::workspace);
      for (double value : download_values(context.device, fresh))
        EXPECT_TRUE(std::isnan(value)) << name_of(dtype);
    });
  }
}

}  // namespace
}  // namespace fourfold::test
