// Streams, events, copies and memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "tests/contract/backends.hpp"

namespace fourfold::test {
namespace {

using testing::HasSubstr;

class DeviceContract : public ContractTest {};

TEST_P(DeviceContract, OneStreamRunsInIssueOrder) {
  run([&](RankContext& context) {
    const Tensor a = tensor(context, {2}, {1, 2});
    for (int i = 0; i < 5; ++i) launch(context, Accumulate{a, a});  // doubles
    expect_values(context, a, {32, 64});
  });
}

TEST_P(DeviceContract, AnEventOrdersTwoStreams) {
  run([&](RankContext& context) {
    for (int round = 0; round < 20; ++round) {
      const Tensor a = tensor(context, {1}, {1});
      const Tensor b = empty(context, {1});
      for (int i = 0; i < 10; ++i) launch(context, Accumulate{a, a});  // 2^10
      context.device.wait(Stream::comm_x, context.device.record(Stream::compute));
      context.device.launch(Stream::comm_x, Cast{a, b});
      context.device.wait(Stream::compute, context.device.record(Stream::comm_x));
      launch(context, Fill{a, 0});
      expect_values(context, b, {1024}, 0, Stream::comm_x);
      expect_values(context, a, {0});
    }
  });
}

TEST_P(DeviceContract, AnEventCoversOnlyWhatWasIssuedBefore) {
  // The wait must not cover the collective's stream as a whole: work issued later may itself wait for the waiter.
  run([&](RankContext& context) {
    const Tensor a = tensor(context, {1}, {1});
    const Event early = context.device.record(Stream::compute);
    context.device.wait(Stream::comm_y, early);
    context.device.launch(Stream::comm_y, Accumulate{a, a});  // 2
    context.device.wait(Stream::compute, context.device.record(Stream::comm_y));
    launch(context, Accumulate{a, a});  // 4
    context.device.synchronize();
    expect_values(context, a, {4});
  });
}

TEST_P(DeviceContract, EventsAreNumberedInProgramOrder) {
  run([&](RankContext& context) {
    EXPECT_EQ(context.device.record(Stream::compute).id, 0);
    EXPECT_EQ(context.device.record(Stream::comm_x).id, 1);
    EXPECT_EQ(context.device.record(Stream::compute).id, 2);
  });
}

TEST_P(DeviceContract, UploadsMayReuseTheSource) {
  run([&](RankContext& context) {
    std::vector<double> source = {1, 2, 3};
    const Tensor a = tensor(context, {3}, source);
    source.assign(3, -1);
    expect_values(context, a, {1, 2, 3});
  });
}

TEST_P(DeviceContract, StorageOutlivesItsLastUse) {
  run([&](RankContext& context) {
    const Tensor sum = zeros(context, {1}, DType::float64, MemoryKind::workspace);
    for (int i = 1; i <= 20; ++i) {
      const Tensor dropped = tensor(context, {1}, {static_cast<double>(i)});
      launch(context, Accumulate{dropped, sum});
    }
    expect_values(context, sum, {210});  // 20 21 / 2
  });
}

TEST_P(DeviceContract, MemoryIsAccountedInProgramOrder) {
  // 80 bytes of parameters, then twice 160 of workspace, one after the other: never 400 at a time.
  const std::vector<MemoryByKind> peaks = run(Grid(), [&](RankContext& context) {
    const Tensor kept = context.device.allocate({10}, DType::float64, MemoryKind::parameters);
    for (int i = 0; i < 2; ++i) {
      const Tensor dropped = context.device.allocate({40}, DType::float32, MemoryKind::workspace);
      launch(context, Fill{dropped, 1});
    }
    const Tensor small = context.device.allocate({3}, DType::bfloat16, MemoryKind::activations);
    EXPECT_EQ(small.storage->id(), 3);
    EXPECT_EQ(small.storage->bytes(), 6);
  });
  EXPECT_EQ(total(peaks.at(0)), 240);
  EXPECT_EQ(peaks.at(0)[static_cast<std::size_t>(MemoryKind::parameters)], 80);
  EXPECT_EQ(peaks.at(0)[static_cast<std::size_t>(MemoryKind::workspace)], 160);
}

TEST_P(DeviceContract, OutOfMemoryNamesNeedAndPlace) {
  const auto program = [&](RankContext& context) {
    const Range outer(context.device, "forward");
    const Range inner(context.device, "block 3");
    const Tensor first = context.device.allocate({100}, DType::float64, MemoryKind::activations);
    const Tensor second = context.device.allocate({100}, DType::float64, MemoryKind::activations);
  };
  EXPECT_NO_THROW(run(Grid(), program, 1600));
  try {
    run(Grid(), program, 1599);
    FAIL() << "expected OutOfMemory";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.needed(), 800);
    EXPECT_EQ(error.free(), 799);
    EXPECT_THAT(error.what(), HasSubstr("forward/block 3"));
  }
}

TEST_P(DeviceContract, ViewsShareStorage) {
  run([&](RankContext& context) {
    const Tensor whole = tensor(context, {2, 3}, {1, 2, 3, 4, 5, 6});
    launch(context, Fill{flat_slice(whole, 2, 2), 9});
    expect_values(context, whole, {1, 2, 9, 9, 5, 6});
    expect_values(context, flat_slice(whole, 3, 3), {9, 5, 6});
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, DeviceContract, testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace fourfold::test
