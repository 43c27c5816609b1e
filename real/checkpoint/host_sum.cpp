#include "real/checkpoint/host_sum.hpp"

#include <span>

#include "core/backend/ops.hpp"

namespace fourfold::real {

std::vector<double> sum_over_ranks(RankContext& context, std::vector<double> numbers) {
  const Tensor sums = context.device.allocate({static_cast<std::int64_t>(numbers.size())},
                                              DType::float64, MemoryKind::workspace);
  context.device.upload(Stream::compute, std::as_bytes(std::span(numbers)), sums);
  all_reduce(context, kTensorAxes, sums);
  all_reduce(context, Axis::data, sums);
  context.device.download(Stream::compute, sums, std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

}  // namespace fourfold::real
