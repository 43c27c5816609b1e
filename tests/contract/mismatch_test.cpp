// Members of a group that issue different collectives: an error naming both ranks and what each wanted, on every
// backend that runs collectives.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "tests/contract/backends.hpp"

namespace fourfold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MismatchContract : public ContractTest {
 protected:
  static Tensor some(RankContext& context, std::int64_t count, DType dtype = DType::float32) {
    return zeros(context, {count}, dtype, MemoryKind::workspace);
  }

  /// What two ranks are told that issue different collectives over x in "block 1".
  std::string error_of(const std::function<void(RankContext&, bool first)>& issue) const {
    try {
      run(Grid(2, 1, 1, 1), [&](RankContext& context) {
        all_reduce(context, Axis::x, some(context, 3));  // here they agree
        const Range range(context.device, "block 1");
        issue(context, context.rank == 0);
      });
    } catch (const BackendError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_P(MismatchContract, OfKinds) {
  EXPECT_THAT(
      error_of([](RankContext& context, bool first) {
        if (first) {
          all_reduce(context, Axis::x, some(context, 4));
        } else {
          Pending pending = start_all_gather(context, Stream::comm_x, Axis::x, some(context, 4),
                                             MemoryKind::workspace);
          join(context, pending);
        }
      }),
      AllOf(HasSubstr("rank 0 issued all_reduce (sum) of 4 float32 over x"),
            HasSubstr("rank 1 issued all_gather of 4 float32 over x"), HasSubstr("block 1")));
}

TEST_P(MismatchContract, OfReductions) {
  EXPECT_THAT(error_of([](RankContext& context, bool first) {
                all_reduce(context, Axis::x, some(context, 4),
                           first ? Reduction::sum : Reduction::max);
              }),
              AllOf(HasSubstr("rank 0 issued all_reduce (sum)"),
                    HasSubstr("rank 1 issued all_reduce (max)")));
}

TEST_P(MismatchContract, OfSizes) {
  EXPECT_THAT(error_of([](RankContext& context, bool first) {
                all_reduce(context, Axis::x, some(context, first ? 4 : 5));
              }),
              AllOf(HasSubstr("rank 0 issued all_reduce (sum) of 4 float32"),
                    HasSubstr("rank 1 issued all_reduce (sum) of 5 float32")));
}

// Equally many bytes: without a check the wrong numbers would be added.
TEST_P(MismatchContract, OfTypes) {
  EXPECT_THAT(error_of([](RankContext& context, bool first) {
                all_reduce(context, Axis::x,
                           first ? some(context, 4) : some(context, 2, DType::float64));
              }),
              AllOf(HasSubstr("of 4 float32"), HasSubstr("of 2 float64")));
}

TEST_P(MismatchContract, OfOrder) {
  EXPECT_THAT(error_of([](RankContext& context, bool first) {
                for (std::int64_t count : {first ? 6 : 7, first ? 7 : 6})
                  all_reduce(context, Axis::x, some(context, count));
              }),
              AllOf(HasSubstr("rank 0 issued all_reduce (sum) of 6 float32"),
                    HasSubstr("rank 1 issued all_reduce (sum) of 7 float32")));
}

TEST_P(MismatchContract, OfGroups) {
  EXPECT_THAT(error_of([](RankContext& context, bool first) {
                const AxisSet axes = first ? AxisSet(Axis::x) : Axis::x | Axis::data;
                Pending pending = start_all_reduce(context, Stream::comm_x, axes, some(context, 4));
                join(context, pending);
              }),
              AllOf(HasSubstr("of 4 float32 over x"), HasSubstr("of 4 float32 over x+data")));
}

INSTANTIATE_TEST_SUITE_P(Backends, MismatchContract, testing::ValuesIn(backends_with_data()),
                         name_of_backend);

}  // namespace
}  // namespace fourfold::test
