#include "real/cpu/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "real/cpu/vector_math.hpp"
#include "tests/support/tensor_values.hpp"

namespace fourfold::test {
namespace {

using real::CpuDevice;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(CpuDevice, ReusesMemoryInsteadOfAskingTheSystemAgain) {
  CpuDevice device;
  const auto step = [&] {
    const Tensor a = device.allocate({1000}, DType::float32, MemoryKind::activations);
    const Tensor b = device.allocate({100, 100}, DType::bfloat16, MemoryKind::workspace);
  };
  step();
  const Bytes reserved = device.reserved_memory();
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(device.reserved_memory(), reserved);
  EXPECT_GE(reserved, 1000 * 4 + 100 * 100 * 2);
  EXPECT_EQ(device.memory().peak(), 1000 * 4 + 100 * 100 * 2);
}

TEST(CpuDevice, StorageOutlivesItsUseOnACommunicationStream) {
  CpuDevice device;
  const Tensor target = device.allocate({2}, DType::float32, MemoryKind::workspace);
  {
    const Tensor source = tensor_of(device, {2}, DType::float32, {1, 2});
    device.launch(Stream::comm_x, Cast{source, target});
  }
  const Tensor other =
      tensor_of(device, {2}, DType::float32, {7, 7});  // would take the dropped memory
  EXPECT_THAT(download_values(device, target, Stream::comm_x), ElementsAre(1, 2));
}

TEST(CpuDevice, NamesTheKernelTheOperandAndThePlaceOfAWrongShape) {
  CpuDevice device;
  const Range range(device, "block 3");
  const Tensor input = device.allocate({2, 3}, DType::float32, MemoryKind::workspace);
  const Tensor bias = device.allocate({4}, DType::float32, MemoryKind::workspace);
  EXPECT_THAT(
      [&] {
        device.launch(Stream::compute, AddBias{input, bias, input});
      },
      ThrowsMessage<ShapeError>(HasSubstr("block 3: add_bias: bias has shape (4)")));
}

TEST(CpuDevice, ReportsAnExhaustedCapacity) {
  CpuDevice device({.memory_capacity = 1000});
  const Tensor held = device.allocate({200}, DType::float32, MemoryKind::parameters);
  EXPECT_THROW(device.allocate({100}, DType::float32, MemoryKind::parameters), OutOfMemory);
}

TEST(CpuDevice, RefusesZeroThreads) {
  EXPECT_THROW(CpuDevice({.threads = 0}), ConfigError);
}

TEST(Exponential, IsAccurateToTwoUnitsInTheLastPlace) {
  for (float x = -87.0F; x <= 88.0F; x += 0.0137F) {
    const double exact = std::exp(static_cast<double>(x));
    ASSERT_NEAR(real::cpu::exponential(x) / exact, 1.0, 2 * 0x1p-23) << x;
  }
  EXPECT_TRUE(std::isnan(real::cpu::exponential(std::nanf(""))));
}

}  // namespace
}  // namespace fourfold::test
