// Every kernel of the cpu backend computes what the reference backend computes, in every type, with one thread and
// with several.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "real/cpu/device.hpp"
#include "real/reference/run_ranks.hpp"
#include "tests/cpu/kernel_cases.hpp"

namespace fourfold::test {
namespace {

/// Every operand after the kernel has run on `device`.
std::vector<std::vector<double>> results_on(Device& device, const KernelCase& test, DType dtype) {
  Operands source(device, dtype);
  Kernel kernel = test.build(source);
  device.launch(Stream::compute, kernel);
  std::vector<std::vector<double>> results;
  for (const Tensor* operand : operands(kernel)) {
    if (operand->defined()) results.push_back(download_values(device, *operand));
  }
  return results;
}

std::vector<std::vector<double>> reference_results(const KernelCase& test, DType dtype) {
  std::vector<std::vector<double>> results;
  real::run_ranks(Grid(),
                  [&](RankContext& context) { results = results_on(context.device, test, dtype); });
  return results;
}

/// Relative to an operand's largest element: one rounding of bf16, a few dozen of fp32 and fp64.
double tolerance(DType dtype) {
  return dtype == DType::bfloat16 ? 0x1p-7 : dtype == DType::float32 ? 1e-5 : 1e-13;
}

void expect_same(const std::vector<double>& actual, const std::vector<double>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 0;
  for (double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::abs(actual[i] - expected[i]) <= tolerance * largest)
        << what << " element " << i << ": " << actual[i] << " instead of " << expected[i];
  }
}

class CpuKernels : public testing::TestWithParam<std::tuple<DType, int>> {};

TEST_P(CpuKernels, ComputeWhatTheReferenceComputes) {
  const auto [dtype, threads] = GetParam();
  real::CpuDevice device({.threads = threads});
  for (const KernelCase& test : all_kernel_cases()) {
    const auto expected = reference_results(test, dtype);
    const auto actual = results_on(device, test, dtype);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_same(actual[i], expected[i], tolerance(dtype),
                  fmt::format("{} operand {}", test.name, i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CpuKernels,
                         testing::Combine(testing::Values(DType::float64, DType::float32,
                                                          DType::bfloat16),
                                          testing::Values(1, 3)));

}  // namespace
}  // namespace fourfold::test
