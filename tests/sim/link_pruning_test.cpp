#include "sim/engine/link_pruning.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fourfold::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Flows = std::vector<std::vector<LinkId>>;

std::vector<Link> links_of(const std::vector<BytesPerSecond>& bandwidths) {
  std::vector<Link> links;
  for (BytesPerSecond bandwidth : bandwidths) links.push_back({"link", bandwidth, 0.0, true});
  return links;
}

TEST(LinkPruning, KeepsTheSlowestOfLinksWithTheSameFlows) {
  EXPECT_THAT(prune_links({{0, 1, 2}}, links_of({30, 10, 20})), ElementsAre(ElementsAre(1)));
}

TEST(LinkPruning, KeepsOneOfEqualTwins) {
  EXPECT_THAT(prune_links({{1, 0}}, links_of({10, 10})), ElementsAre(ElementsAre(0)));
}

TEST(LinkPruning, DropsAFabricThatCannotFill) {
  // Two flows of at most 10 each over a link of 20, and of 19.
  EXPECT_THAT(prune_links({{0, 2}, {1, 2}}, links_of({10, 10, 20})),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(prune_links({{0, 2}, {1, 2}}, links_of({10, 10, 19})),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 2)));
}

TEST(LinkPruning, CountsRepetitions) {
  // Listed twice, a link of 15 gives a flow 7.5: less than the 10 of the other.
  EXPECT_THAT(prune_links({{0, 1, 1}}, links_of({10, 15})), ElementsAre(ElementsAre(1, 1)));
}

TEST(LinkPruning, AFatPipeOnlyLimitsEachFlow) {
  std::vector<Link> links = links_of({10, 10, 10});
  links[2].shared = false;
  EXPECT_THAT(prune_links({{0, 2}, {1, 2}}, links), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(LinkPruning, NoFlows) {
  EXPECT_THAT(prune_links({}, links_of({1})), IsEmpty());
}

/// Max-min fair rates by progressive filling: raise all rates together, freeze the flows of each link that fills.
std::vector<double> max_min_rates(const Flows& flows, const std::vector<Link>& links) {
  std::vector<double> rates(flows.size(), 0.0);
  std::vector<bool> frozen(flows.size(), false);
  const auto times = [&](std::size_t f, std::size_t l) {
    return static_cast<double>(
        std::count(flows[f].begin(), flows[f].end(), static_cast<LinkId>(l)));
  };
  while (std::find(frozen.begin(), frozen.end(), false) != frozen.end()) {
    std::vector<double> raise(links.size(), std::numeric_limits<double>::infinity());
    for (std::size_t l = 0; l < links.size(); ++l) {
      double left = links[l].bandwidth;
      double growing = 0;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        left -= times(f, l) * rates[f];
        if (!frozen[f]) growing += times(f, l);
      }
      if (growing > 0) raise[l] = left / growing;
    }
    const double least = *std::min_element(raise.begin(), raise.end());
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!frozen[f]) rates[f] += least;
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
      if (raise[l] > least * (1 + 1e-12)) continue;
      for (std::size_t f = 0; f < flows.size(); ++f) frozen[f] = frozen[f] || times(f, l) > 0;
    }
  }
  return rates;
}

TEST(LinkPruning, RatesOfRandomSubsetsOfFlowsStayTheSame) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> bandwidth(1, 30), link(0, 7), length(1, 5), coin(0, 1);
  for (int round = 0; round < 500; ++round) {
    std::vector<BytesPerSecond> bandwidths(8);
    for (BytesPerSecond& value : bandwidths) value = bandwidth(random);
    const std::vector<Link> links = links_of(bandwidths);
    Flows flows(6);
    for (std::vector<LinkId>& flow : flows) {
      for (int i = length(random); i > 0; --i) flow.push_back(link(random));
    }
    const Flows pruned = prune_links(flows, links);
    Flows active, active_pruned;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (coin(random) == 0) continue;
      active.push_back(flows[f]);
      active_pruned.push_back(pruned[f]);
    }
    const std::vector<double> expected = max_min_rates(active, links);
    const std::vector<double> actual = max_min_rates(active_pruned, links);
    for (std::size_t f = 0; f < active.size(); ++f)
      EXPECT_NEAR(actual[f], expected[f], 1e-9) << "round " << round;
  }
}

}  // namespace
}  // namespace fourfold::sim
