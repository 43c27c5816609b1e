// Collectives between processes against sums by hand. Rank r contributes r + 1 + i / 8 at element i, so that with p
// ranks the sum is p (p + 1) / 2 + p i / 8 and the maximum p + i / 8: exact in bf16 as long as p <= 4 and i < 16.

#include <gtest/gtest.h>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "real/mpi/run_mpi.hpp"
#include "tests/support/tensor_values.hpp"

namespace fourfold::test {
namespace {

real::MpiWorld world() {
  real::MpiWorld world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  return world;
}

class MpiCollectives : public testing::TestWithParam<std::tuple<DType, std::int64_t, bool>> {
 protected:
  MpiCollectives()
      : dtype_(std::get<0>(GetParam())),
        elements_(std::get<1>(GetParam())),
        rank_(world(), Grid(1, 1, 1, world().size), {},
              {.check_collectives = std::get<2>(GetParam())}),
        context_(rank_.context()),
        p_(world().size),
        r_(world().rank) {}

  static double shape_of(std::int64_t i) { return static_cast<double>(i % 16) / 8; }
  Tensor contribution(std::int64_t elements) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < elements; ++i) values.push_back(r_ + 1 + shape_of(i));
    return tensor_of(context_.device, {elements}, dtype_, values);
  }
  void expect(const Tensor& tensor, const std::function<double(std::int64_t)>& expected) {
    const std::vector<double> values = download_values(context_.device, tensor);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      ASSERT_EQ(values[static_cast<std::size_t>(i)], expected(i)) << "element " << i;
    }
  }

  DType dtype_;
  std::int64_t elements_;
  real::CpuRank rank_;
  RankContext context_;
  int p_, r_;
};

TEST_P(MpiCollectives, AllReduceSums) {
  const Tensor tensor = contribution(elements_);
  all_reduce(context_, Axis::data, tensor);
  expect(tensor, [&](std::int64_t i) { return p_ * (p_ + 1) / 2 + p_ * shape_of(i); });
}

TEST_P(MpiCollectives, AllReduceFindsTheMaximum) {
  const Tensor tensor = contribution(elements_);
  all_reduce(context_, Axis::data, tensor, Reduction::max);
  expect(tensor, [&](std::int64_t i) { return p_ + shape_of(i); });
}

TEST_P(MpiCollectives, AllGatherConcatenates) {
  const Tensor gathered =
      all_gather(context_, Axis::data, contribution(elements_), MemoryKind::workspace);
  expect(gathered, [&](std::int64_t i) {
    return static_cast<double>(i / elements_ + 1) + shape_of(i % elements_);
  });
}

TEST_P(MpiCollectives, ReduceScatterSumsAndSplits) {
  const Tensor part =
      reduce_scatter(context_, Axis::data, contribution(elements_ * p_), MemoryKind::workspace);
  expect(part,
         [&](std::int64_t i) { return p_ * (p_ + 1) / 2 + p_ * shape_of(r_ * elements_ + i); });
}

TEST_P(MpiCollectives, BroadcastTakesTheFirst) {
  const Tensor input = contribution(elements_);
  const Tensor output = context_.device.allocate({elements_}, dtype_, MemoryKind::workspace);
  context_.communicator.launch(Stream::comm_data,
                               {CollectiveKind::broadcast, Axis::data, input, output});
  context_.device.wait(Stream::compute, context_.device.record(Stream::comm_data));
  expect(output, [&](std::int64_t i) { return 1 + shape_of(i); });
}

TEST_P(MpiCollectives, RunBehindTheComputeStreamUntilJoined) {
  Pending first = start_all_reduce(context_, Stream::comm_x, Axis::data, contribution(elements_));
  Pending second = start_all_reduce(context_, Stream::comm_y, Axis::data, contribution(elements_));
  const Tensor doubled = contribution(elements_);
  launch(context_, Accumulate{doubled, context_.device.allocate({elements_}, wide(dtype_),
                                                                MemoryKind::workspace)});
  const auto sum = [&](std::int64_t i) { return p_ * (p_ + 1) / 2 + p_ * shape_of(i); };
  expect(join(context_, second), sum);  // streams are unordered: the later one may be joined first
  expect(join(context_, first), sum);
}

// One element, sizes that do not divide, and enough for the two steps of a large all_reduce.
INSTANTIATE_TEST_SUITE_P(
    TypesAndSizes, MpiCollectives,
    testing::Combine(testing::Values(DType::float64, DType::float32, DType::bfloat16),
                     testing::Values<std::int64_t>(1, 17, 100'003), testing::Bool()));

TEST(MpiWorld, MustHaveAsManyRanksAsTheGrid) {
  EXPECT_THROW(real::CpuRank(world(), Grid(1, 1, 1, world().size + 1)), ConfigError);
}

TEST(MpiCommunicator, RefusesOperandsThatDoNotFit) {
  real::CpuRank rank(world(), Grid(1, 1, 1, world().size));
  RankContext context = rank.context();
  const Tensor input = zeros(context, {4}, DType::float32, MemoryKind::workspace);
  const Tensor output = zeros(context, {5}, DType::float32, MemoryKind::workspace);
  EXPECT_THROW(context.communicator.launch(Stream::comm_data,
                                           {CollectiveKind::all_reduce, Axis::data, input, output}),
               ShapeError);
}

}  // namespace
}  // namespace fourfold::test
