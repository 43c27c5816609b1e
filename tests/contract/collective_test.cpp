// Collectives: closed forms in rank and size, groups along every axis, order, groups of one.

#include <gtest/gtest.h>

#include "core/backend/ops.hpp"
#include "tests/contract/backends.hpp"

namespace fourfold::test {
namespace {

class CollectiveContract : public ContractTest {};

const Grid kGrid(2, 3, 2, 1);
const std::vector<AxisSet> kGroups = {
    Axis::x, Axis::y, Axis::z, Axis::x | Axis::y, Axis::z | Axis::data, kTensorAxes};

/// Sum of f(rank) over the group of `context`'s rank.
template <typename Function>
double group_sum(const RankContext& context, AxisSet axes, const Function& f) {
  double sum = 0;
  for (int rank : context.grid.group(context.rank, axes).ranks) sum += f(rank);
  return sum;
}

TEST_P(CollectiveContract, AllReduceSums) {
  run(kGrid, [&](RankContext& context) {
    for (AxisSet axes : kGroups) {
      const Tensor a = tensor(context, {2}, {context.rank + 1.0, context.rank * 10.0});
      all_reduce(context, axes, a);
      expect_values(context, a,
                    {group_sum(context, axes, [](int rank) { return rank + 1.0; }),
                     group_sum(context, axes, [](int rank) { return rank * 10.0; })});
    }
  });
}

TEST_P(CollectiveContract, AllReduceTakesTheMaximum) {
  run(kGrid, [&](RankContext& context) {
    const Tensor a = tensor(context, {2}, {context.rank - 20.0, -1.0 * context.rank});
    all_reduce(context, kTensorAxes, a, Reduction::max);
    expect_values(context, a, {-9, 0});  // of ranks 0 ... 11
  });
}

TEST_P(CollectiveContract, AllGatherConcatenatesInGroupOrder) {
  run(kGrid, [&](RankContext& context) {
    for (Axis axis : {Axis::x, Axis::y, Axis::z}) {
      const Tensor shard = tensor(context, {2}, {context.rank * 1.0, context.rank + 0.5});
      const Tensor gathered = all_gather(context, axis, shard, MemoryKind::gathered_weights);
      std::vector<double> expected;
      for (int rank : context.grid.group(context.rank, axis).ranks) {
        expected.push_back(rank);
        expected.push_back(rank + 0.5);
      }
      expect_values(context, gathered, expected);
    }
  });
}

TEST_P(CollectiveContract, ReduceScatterGivesEachMemberItsPart) {
  run(kGrid, [&](RankContext& context) {
    for (Axis axis : {Axis::x, Axis::y, Axis::z}) {
      // Element i of rank r is 100 i + r; member j of p gets elements 2j and 2j + 1 of the sum.
      const int members = context.size(axis);
      std::vector<double> values;
      for (int i = 0; i < 2 * members; ++i) values.push_back(100.0 * i + context.rank);
      const Tensor part = reduce_scatter(context, axis, tensor(context, {2 * members}, values),
                                         MemoryKind::workspace);
      const double ranks = group_sum(context, axis, [](int rank) { return rank; });
      const int first = 2 * context.index(axis);
      expect_values(context, part,
                    {100.0 * first * members + ranks, 100.0 * (first + 1) * members + ranks});
    }
  });
}

TEST_P(CollectiveContract, BroadcastTakesTheFirstMember) {
  run(kGrid, [&](RankContext& context) {
    const Tensor a = tensor(context, {1}, {context.rank * 1.0});
    const Tensor b = empty(context, {1});
    context.device.wait(Stream::comm_x, context.device.record(Stream::compute));
    context.communicator.launch(Stream::comm_x,
                                {CollectiveKind::broadcast, Axis::y, a, b, Reduction::sum});
    expect_values(context, b, {1.0 * context.grid.group(context.rank, Axis::y).ranks.front()}, 0,
                  Stream::comm_x);
  });
}

TEST_P(CollectiveContract, NarrowTypesAreRoundedOnce) {
  // 256 + 1 + 1 ...: bf16 holds 8 bits, so adding ones one by one to 256 would change nothing.
  run(Grid(1, 9, 1, 1), [&](RankContext& context) {
    const Tensor a = tensor(context, {1}, {context.rank == 0 ? 256.0 : 1.0}, DType::bfloat16);
    all_reduce(context, Axis::y, a);
    expect_values(context, a, {264});
  });
}

TEST_P(CollectiveContract, AGroupOfOneIssuesNothing) {
  run(Grid(2, 1, 1, 1), [&](RankContext& context) {
    const Tensor a = tensor(context, {2, 2}, {1, 2, 3, 4});
    Pending pending = start_all_reduce(context, Stream::comm_y, Axis::y, a);
    EXPECT_FALSE(pending.done.valid());
    EXPECT_EQ(join(context, pending).storage, a.storage);
    EXPECT_EQ(all_gather(context, Axis::z, a, MemoryKind::workspace).storage, a.storage);
    EXPECT_EQ(reduce_scatter(context, Axis::z, a, MemoryKind::workspace).storage, a.storage);
    EXPECT_EQ(context.device.record(Stream::compute).id, 0) << "an event was used";
    expect_values(context, a, {1, 2, 3, 4});
  });
}

TEST_P(CollectiveContract, StartedCollectivesOverlapAndJoinLater) {
  run(Grid(2, 1, 2, 1), [&](RankContext& context) {
    for (int round = 0; round < 10; ++round) {
      const Tensor a = tensor(context, {1}, {1.0});
      const Tensor shard = tensor(context, {1}, {context.rank * 1.0});
      Pending sum = start_all_reduce(context, Stream::comm_x, Axis::x, a);
      Pending gathered = start_all_gather(context, Stream::comm_z_gather, Axis::z, shard,
                                          MemoryKind::gathered_weights);
      const Tensor other = tensor(context, {1}, {5});
      launch(context, Accumulate{other, other});
      const Tensor whole = join(context, gathered);
      launch(context, Accumulate{join(context, sum), other});
      expect_values(context, other, {12});  // 2 5 + 2
      expect_values(context, whole,
                    {context.rank % 2 * 1.0, context.rank % 2 + 2.0});  // ranks x, x + 2
    }
  });
}

TEST_P(CollectiveContract, RanksMayIssueOnDifferentStreamsInDifferentOrders) {
  // Only the order on one stream binds the members.
  run(Grid(2, 1, 1, 1), [&](RankContext& context) {
    const Tensor a = tensor(context, {1}, {1.0});
    const Tensor b = tensor(context, {1}, {2.0});
    const auto start_a = [&] { return start_all_reduce(context, Stream::comm_x, Axis::x, a); };
    const auto start_b = [&] { return start_all_reduce(context, Stream::comm_y, Axis::x, b); };
    Pending first = context.rank == 0 ? start_a() : start_b();
    Pending second = context.rank == 0 ? start_b() : start_a();
    join(context, first);
    join(context, second);
    expect_values(context, a, {2});
    expect_values(context, b, {4});
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, CollectiveContract, testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace fourfold::test
