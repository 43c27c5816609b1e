#pragma once
// The backends under test, and expectations that know which of them have data.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/backend/rank_context.hpp"
#include "core/program/memory_account.hpp"

namespace fourfold::test {

using RankProgram = std::function<void(RankContext&)>;

struct Backend {
  std::string name;
  bool has_data = false;
  /// Runs an SPMD program on all ranks; returns the peak memory of every rank.
  std::function<std::vector<MemoryByKind>(const Grid&, const RankProgram&, Bytes memory_capacity)>
      run;
};

/// Recorder, reference in issue order, reference with shuffled streams. Under mpirun the cpu backend, see tests/cpu.
std::vector<Backend> all_backends();

/// Those of them that compute.
inline std::vector<Backend> backends_with_data() {
  std::vector<Backend> backends = all_backends();
  std::erase_if(backends, [](const Backend& backend) { return !backend.has_data; });
  return backends;
}

/// Names the tests of a suite.
inline std::string name_of_backend(const testing::TestParamInfo<Backend>& info) {
  return info.param.name;
}

/// Base of the contract's test suites.
class ContractTest : public testing::TestWithParam<Backend> {
 protected:
  std::vector<MemoryByKind> run(const Grid& grid, const RankProgram& program,
                                Bytes memory_capacity = 0) const {
    return GetParam().run(grid, program, memory_capacity);
  }
  /// One rank.
  void run(const RankProgram& program) const { run(Grid(), program); }

  /// A tensor of the compute type with these values.
  static Tensor tensor(RankContext& context, Shape shape, const std::vector<double>& values,
                       DType dtype = DType::float64);
  /// An uninitialised tensor.
  static Tensor empty(RankContext& context, Shape shape, DType dtype = DType::float64);

  /// Waits for `stream` and compares, where the backend has data.
  void expect_values(RankContext& context, const Tensor& actual,
                     const std::vector<double>& expected, double tolerance = 1e-12,
                     Stream stream = Stream::compute) const;
};

}  // namespace fourfold::test
