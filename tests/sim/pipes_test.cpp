// Flows over pipes end when max-min sharing says: against sums by hand, and against SimGrid moving all of them.

#include "sim/engine/pipes.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/sim/toy.hpp"

namespace fourfold::sim {
namespace {

/// A flow over some links; it starts at `start`, counted from the beginning of the run.
struct PlannedFlow {
  Seconds start = 0;
  std::vector<LinkId> links;
  double bytes = 0;
};

Network& toy_network() {
  return Network::load(toy_machine("flat", 4).file);
}

/// When each flow ends, if `send(index, callback)` starts it.
template <typename Send>
std::vector<Seconds> end_times(Network& network, const std::vector<PlannedFlow>& flows,
                               const Send& send) {
  const Seconds origin = network.now();
  std::vector<Seconds> ends(flows.size(), 0);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    network.at(origin + flows[i].start,
               [&, i] { send(i, [&, i] { ends[i] = network.now() - origin; }); });
  }
  network.run();
  return ends;
}

std::vector<Seconds> through_pipes(const std::vector<PlannedFlow>& flows) {
  Network& network = toy_network();
  Pipes pipes(network);
  return end_times(network, flows, [&](std::size_t i, Network::Callback done) {
    pipes.send(pipes.add(flows[i].links), flows[i].bytes, std::move(done));
  });
}

std::vector<Seconds> through_simgrid(const std::vector<PlannedFlow>& flows) {
  Network& network = toy_network();
  return end_times(network, flows, [&](std::size_t i, Network::Callback done) {
    network.send(network.add_route(flows[i].links), flows[i].bytes, std::move(done));
  });
}

/// Links of the toy's NICs, each of 10 GB/s.
std::vector<LinkId> nic_links() {
  std::vector<LinkId> links;
  for (std::size_t i = 0; i < toy_network().links().size(); ++i) {
    if (toy_network().links()[i].bandwidth == 10e9) links.push_back(static_cast<LinkId>(i));
  }
  return links;
}

void expect_times(const std::vector<Seconds>& actual, const std::vector<Seconds>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-9 * expected[i]) << "flow " << i;
  }
}

TEST(Pipes, FlowsOfOnePipeShareItEvenly) {
  const LinkId nic = nic_links()[0];
  // 10 GB alone for 0.5 s: 5 GB left. Then 5 GB/s each: the second one's 2 GB take 0.4 s, until 0.9 s. 3 GB left: 0.3 s.
  expect_times(through_pipes({{0, {nic}, 10e9}, {0.5, {nic}, 2e9}}), {1.2, 0.9});
}

TEST(Pipes, ALinkListedTwiceCarriesEachByteTwice) {
  const std::vector<LinkId> nics = nic_links();
  expect_times(through_pipes({{0, {nics[0], nics[1], nics[0]}, 10e9}}), {2.0});
}

TEST(Pipes, AnotherPipeOnALinkTakesItsShareFromTheMiddleOn) {
  const std::vector<LinkId> nics = nic_links();
  // 0 to 0.5 s alone, then 5 GB/s each on NIC 1: 5 GB left take 1 s, until 1.5 s; by then the second has moved 5 of
  // 8 GB, the rest goes at 10 GB/s: 0.3 s.
  expect_times(through_pipes({{0, {nics[0], nics[1]}, 10e9}, {0.5, {nics[1], nics[2]}, 8e9}}),
               {1.5, 1.8});
}

TEST(Pipes, AreAloneAgainAfterTheyWereEmpty) {
  const std::vector<LinkId> nics = nic_links();
  // The first two meet until 1 s and end together; the third has the links to itself.
  expect_times(
      through_pipes({{0, {nics[0]}, 5e9}, {0, {nics[0], nics[1]}, 5e9}, {2, {nics[0]}, 5e9}}),
      {1.0, 1.0, 2.5});
}

TEST(Pipes, EmptyFlowsEndAtOnce) {
  const LinkId nic = nic_links()[0];
  const std::vector<Seconds> ends = through_pipes({{0, {nic}, 10e9}, {0.25, {nic}, 0}});
  expect_times(ends, {1.0, 0.25});
}

TEST(Pipes, RandomFlowsEndAsInSimGrid) {
  const std::vector<LinkId> nics = nic_links();
  std::mt19937 random(11);
  const auto pick = [&](int most) { return std::uniform_int_distribution(1, most)(random); };
  for (int run = 0; run < 40; ++run) {
    // Few links and many flows in some runs, the other way round in others.
    const int links = 1 + pick(8);
    std::vector<PlannedFlow> flows(static_cast<std::size_t>(pick(40)));
    for (PlannedFlow& flow : flows) {
      flow.start = pick(20) * 0.1;
      flow.bytes = pick(1000) * 1e6;
      for (int i = pick(3); i > 0; --i) {
        flow.links.push_back(nics[static_cast<std::size_t>(pick(links) - 1)]);
      }
    }
    const std::vector<Seconds> expected = through_simgrid(flows);
    const std::vector<Seconds> actual = through_pipes(flows);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      EXPECT_NEAR(actual[i], expected[i], 1e-8) << "run " << run << ", flow " << i;
    }
  }
}

}  // namespace
}  // namespace fourfold::sim
