// Disturbed steps on toy platforms against sums by hand: port 100 GB/s, 2 us a hop; NIC 10 GB/s, 4 us a hop; kernels of
// as many milliseconds as asked.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "sim/engine/network.hpp"
#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

constexpr Seconds kMilli = 1e-3;

/// A kernel of 6 ms, then an all_gather of 1 GB on 4 nodes of one GPU: V = 0.75 GB, 75 ms over a NIC, 3 steps x 4 us.
SimulationResult kernel_and_gather(const Disturbances& disturbances, Fold fold = Fold::automatic) {
  ToyStep step(Grid(1, 1, 4, 1));
  step.kernel(6);
  all_gather(step.context(), Axis::z, step.buffer(250'000'000), MemoryKind::workspace);
  SimulationOptions options;
  options.disturbances = disturbances;
  options.fold = fold;
  return step.simulate(toy_machine("flat", 1), options);
}

Seconds gather(double milliseconds) {
  return std::hypot(12e-6, milliseconds * kMilli);
}

void expect_time(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual, expected, 1e-9 * expected);
}

TEST(Disturbances, OneSlowRankDelaysAllAndTheOthersWait) {
  const SimulationResult result = kernel_and_gather({.slow_ranks = {{2, 0.75}}});
  expect_time(result.step_time, 8 * kMilli + gather(75));  // 6 / 0.75
  expect_time(result.compute_busy, 6.5 * kMilli);          // (3 x 6 + 8) / 4
  // Ranks 0 1 3 wait for rank 2 and for the gather, rank 2 only for the gather.
  ASSERT_EQ(result.longest_waits.size(), 2U);
  EXPECT_EQ(result.longest_waits[0].rank, 0);
  EXPECT_EQ(result.longest_waits[0].ranks, 3);
  expect_time(result.longest_waits[0].waiting, 2 * kMilli + gather(75));
  EXPECT_EQ(result.longest_waits[1].rank, 2);
  EXPECT_EQ(result.longest_waits[1].ranks, 1);
  expect_time(result.longest_waits[1].waiting, gather(75));
}

TEST(Disturbances, TracedKernelsOfASlowRankAreLonger) {
  ToyStep step(Grid(1, 1, 2, 1));
  step.kernel(6);
  SimulationOptions options;
  options.disturbances.slow_ranks = {{1, 0.5}};
  options.traced_ranks = {0, 1};
  const SimulationResult result = step.simulate(toy_machine("flat", 1), options);
  ASSERT_EQ(result.timeline.size(), 2U);
  expect_time(result.timeline[0].end, 6 * kMilli);
  expect_time(result.timeline[1].end, 12 * kMilli);
}

TEST(Disturbances, ADegradedNicSlowsTheRingThatCrossesIt) {
  // Both directions of NIC 1 at 4 GB/s: 0.75 GB take 187.5 ms.
  expect_time(kernel_and_gather({.degraded_links = {{"nic-1", 0.4}}}).step_time,
              6 * kMilli + gather(187.5));
  expect_time(kernel_and_gather({.degraded_links = {{"nics_link_1_UP", 0.4}}}).step_time,
              6 * kMilli + gather(187.5));
  // A link that the ring does not use.
  expect_time(kernel_and_gather({.degraded_links = {{"nic-9", 0.4}}}).step_time,
              6 * kMilli + gather(75));
}

TEST(Disturbances, BackgroundTrafficIsSubtractedFromTheLink) {
  // 10 - 2.5 = 7.5 GB/s: 0.75 GB take 100 ms. Degraded first: 0.5 x 10 - 2.5 = 2.5 GB/s, 300 ms.
  expect_time(kernel_and_gather({.background = {{"nic-0", 2.5e9}}}).step_time,
              6 * kMilli + gather(100));
  expect_time(
      kernel_and_gather({.degraded_links = {{"nic-0", 0.5}}, .background = {{"nic-0", 2.5e9}}})
          .step_time,
      6 * kMilli + gather(300));
}

/// All_gather of 1 GB over two ranks on each of two nodes with two GPUs and two NICs: V = 0.75 GB.
SimulationResult gather_of_pairs(const Disturbances& disturbances, Fold fold = Fold::automatic) {
  const StepProgram program =
      one_collective(Grid(1, 1, 4, 1), CollectiveKind::all_gather, Axis::z, 1'000'000'000);
  SimulationOptions options;
  options.disturbances = disturbances;
  options.fold = fold;
  return simulate(program, Grid(1, 1, 4, 1), toy_machine("flat", 2), options);
}

TEST(Disturbances, GpusOfAFailedNicUseTheOthersOfTheirNode) {
  // Whole: 0.375 GB over each NIC, 37.5 ms. NIC 1 failed, in one direction or both: 0.75 GB over NIC 0, 75 ms.
  const auto time = [](Seconds milliseconds) { return std::hypot(12e-6, milliseconds * kMilli); };
  expect_time(gather_of_pairs({}).step_time, time(37.5));
  expect_time(gather_of_pairs({.failed_links = {"nic-1"}}).step_time, time(75));
  expect_time(gather_of_pairs({.failed_links = {"nics_link_1_DOWN"}}).step_time, time(75));
  // One in each node; folded and every rank.
  const Disturbances both = {.failed_links = {"nic-1", "nic-2"}};
  expect_time(gather_of_pairs(both).step_time, time(75));
  expect_time(gather_of_pairs(both, Fold::off).step_time, time(75));
  // A node that the grid does not use.
  expect_time(gather_of_pairs({.failed_links = {"nic-5"}}).step_time, time(37.5));
}

TEST(Disturbances, RanksThatAFailedLinkCutsOffAreNamed) {
  const auto refusal = [](const std::string& link) -> std::string {
    try {
      kernel_and_gather({.failed_links = {link}});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  // One NIC a node.
  EXPECT_THAT(refusal("nic-1"), testing::HasSubstr("for the group of ranks 0, 1, 2, 3;"));
  EXPECT_THAT(refusal("nic-9"), "accepted");
  EXPECT_THAT(refusal("nick-1"), testing::HasSubstr("did you mean \"nic-1"));
}

TEST(Disturbances, LinksAreAsBeforeAfterTheStep) {
  kernel_and_gather({.degraded_links = {{"nic-1", 0.4}}});
  expect_time(kernel_and_gather({}).step_time, 6 * kMilli + gather(75));
}

TEST(Disturbances, FoldedAndFullWorldsAgree) {
  const Disturbances disturbances = {.slow_ranks = {{3, 0.5}}, .degraded_links = {{"nic-1", 0.4}}};
  const SimulationResult folded = kernel_and_gather(disturbances);
  const SimulationResult full = kernel_and_gather(disturbances, Fold::off);
  EXPECT_LT(folded.replayed_ranks, full.replayed_ranks);
  expect_time(folded.step_time, full.step_time);
  expect_time(folded.compute_busy, full.compute_busy);
}

TEST(Disturbances, JitterDependsOnTheSeedAlone) {
  const auto time = [](std::uint64_t seed) {
    return kernel_and_gather({.jitter_sigma = 0.1, .seed = seed}).step_time;
  };
  EXPECT_EQ(time(1), time(1));
  EXPECT_NE(time(1), time(2));
}

TEST(Disturbances, JitterHasMeanOneAndTheSpreadAsked) {
  // 4,000 runs of one kernel of 1 ms, ended by a communication.
  constexpr int kKernels = 4000;
  constexpr double kSigma = 0.3;
  ToyStep step(Grid(1, 1, 2, 1));
  const Tensor token = step.buffer(4);
  for (int i = 0; i < kKernels; ++i) {
    step.kernel(1);
    all_reduce(step.context(), Axis::z, token);
  }
  SimulationOptions options;
  options.disturbances.jitter_sigma = kSigma;
  const SimulationResult result = step.simulate(toy_machine("flat", 1), options);
  double sum = 0;
  double sum_of_logarithms = 0;
  for (const Interval& kernel : result.timeline) {
    if (kernel.stream != Stream::compute) continue;
    sum += (kernel.end - kernel.begin) / kMilli;
    sum_of_logarithms += std::log((kernel.end - kernel.begin) / kMilli);
  }
  // Standard errors: sqrt(exp(0.09) - 1) / sqrt(4000) = 0.005 and 0.3 / sqrt(4000) = 0.005; four of them.
  EXPECT_NEAR(sum / kKernels, 1.0, 0.02);
  EXPECT_NEAR(sum_of_logarithms / kKernels, -kSigma * kSigma / 2, 0.02);
}

TEST(Disturbances, OneByOneNamesEach) {
  const Disturbances all = {.slow_ranks = {{2, 0.75}},
                            .jitter_sigma = 0.1,
                            .seed = 7,
                            .degraded_links = {{"nic-1", 0.4}},
                            .background = {{"nic-0", 2.5e9}},
                            .failed_links = {"nic-5"}};
  std::vector<std::string> names;
  for (const NamedDisturbance& single : one_by_one(all)) names.push_back(single.name);
  EXPECT_THAT(names,
              testing::ElementsAre("rank 2 at 0.75 of its speed", "jitter of sigma 0.1, seed 7",
                                   "link nic-1 at 0.4 of its bandwidth",
                                   "2.5 GB/s of another job on link nic-0", "link nic-5 failed"));
}

std::string refusal(const Disturbances& disturbances) {
  try {
    kernel_and_gather(disturbances);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Disturbances, SenselessOnesAreRefused) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal({.slow_ranks = {{4, 0.5}}}), HasSubstr("from 0 to 3"));
  EXPECT_THAT(refusal({.slow_ranks = {{0, 0}}}), HasSubstr("above 0 and up to 1"));
  EXPECT_THAT(refusal({.slow_ranks = {{0, 1.5}}}), HasSubstr("above 0 and up to 1"));
  EXPECT_THAT(refusal({.slow_ranks = {{0, 0.5}, {0, 0.6}}}), HasSubstr("named twice"));
  EXPECT_THAT(refusal({.jitter_sigma = -0.1}), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refusal({.degraded_links = {{"nic-1", 0}}}), HasSubstr("--fail nic-1"));
  EXPECT_THAT(refusal({.degraded_links = {{"nic-1", 2}}}), HasSubstr("above 0 and up to 1"));
  EXPECT_THAT(refusal({.degraded_links = {{"nick-1", 0.5}}}), HasSubstr("did you mean \"nic-1"));
  EXPECT_THAT(refusal({.background = {{"nic-1", 10e9}}}), HasSubstr("leaves nothing"));
  EXPECT_THAT(refusal({.background = {{"nic-1", 0}}}), HasSubstr("more than 0"));
}

}  // namespace
}  // namespace fourfold::sim
