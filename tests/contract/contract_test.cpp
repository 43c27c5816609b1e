#include <utility>

#include <gmock/gmock.h>

#include "tests/contract/backends.hpp"
#include "tests/support/tensor_values.hpp"

namespace fourfold::test {

Tensor ContractTest::tensor(RankContext& context, Shape shape, const std::vector<double>& values,
                            DType dtype) {
  return tensor_of(context.device, std::move(shape), dtype, values);
}

Tensor ContractTest::empty(RankContext& context, Shape shape, DType dtype) {
  return context.device.allocate(std::move(shape), dtype, MemoryKind::workspace);
}

void ContractTest::expect_values(RankContext& context, const Tensor& actual,
                                 const std::vector<double>& expected, double tolerance,
                                 Stream stream) const {
  const std::vector<double> values = download_values(context.device, actual, stream);
  if (!GetParam().has_data) return;
  EXPECT_THAT(values, testing::Pointwise(testing::DoubleNear(tolerance), expected));
}

}  // namespace fourfold::test
