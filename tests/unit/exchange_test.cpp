#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/cost/exchange_model.hpp"
#include "core/cost/two_level.hpp"

namespace fourfold {
namespace {

constexpr NodeLinks kLinks{.nic_bandwidth = 25e9,
                           .port_bandwidth = 300e9,
                           .gpus_per_node = 4,
                           .nics_per_node = 4,
                           .mesh = true};

/// Round numbers: 10 and 20 us a message, 2 us a peer; half of links and NICs for pairs, 0.4 for
/// all together.
LibraryConstants toy_library() {
  LibraryConstants library;
  library.name = "toy";
  library.exchange = ExchangeConstants{.latency_node = 10e-6,
                                       .latency_network = 20e-6,
                                       .peer_latency = 2e-6,
                                       .pair_node_efficiency = 0.5,
                                       .pair_network_efficiency = 0.5,
                                       .all_node_efficiency = 0.4,
                                       .all_network_efficiency = 0.4};
  return library;
}

// 100 MB: over the 100 GB/s of a pair's own link at 0.5, 2 ms; over a NIC of 25 GB/s at 0.5, 8 ms.
TEST(ExchangeModel, SendsToTheNextRank) {
  const ExchangeModel model(toy_library(), kLinks);
  EXPECT_NEAR(model.send_recv(100'000'000, {.ranks = 2, .nodes = 1, .ranks_per_node = 2}),
              10e-6 + 2e-3, 1e-12);
  EXPECT_NEAR(model.send_recv(100'000'000, {.ranks = 2, .nodes = 2, .ranks_per_node = 1}),
              20e-6 + 8e-3, 1e-12);
}

// In a node of 4: 3/4 of 160 MB over a port of 300 GB/s at 0.4, 1 ms. On 2 nodes of 4 each node
// sends 4 x 4/8 of 160 MB over 100 GB/s at 0.4: 8 ms, longer than 3/8 of 160 MB over the port.
TEST(ExchangeModel, SendsFromAllToAll) {
  const ExchangeModel model(toy_library(), kLinks);
  EXPECT_NEAR(model.all_to_all(160'000'000, {.ranks = 4, .nodes = 1, .ranks_per_node = 4}),
              10e-6 + std::hypot(3 * 2e-6, 1e-3), 1e-12);
  EXPECT_NEAR(model.all_to_all(160'000'000, {.ranks = 8, .nodes = 2, .ranks_per_node = 4}),
              20e-6 + std::hypot(7 * 2e-6, 8e-3), 1e-12);
}

TEST(ExchangeModel, CostsNothingAlone) {
  const ExchangeModel model(toy_library(), kLinks);
  EXPECT_EQ(model.send_recv(1 << 20, {}), 0.0);
  EXPECT_EQ(model.all_to_all(1 << 20, {}), 0.0);
}

TEST(ExchangeModel, RefusesLibrariesWithoutConstants) {
  LibraryConstants library = toy_library();
  library.exchange.reset();
  EXPECT_THAT([&] { ExchangeModel(library, kLinks); },
              testing::ThrowsMessage<ConfigError>(testing::HasSubstr("exchange")));
}

// Rings at full speed without latency. 8 ranks on 2 nodes gather 800 MB: four groups of 2 gather
// 200 MB each, 100 MB over a NIC of 25 GB/s: 4 ms. Then 3/4 of 800 MB over 300 GB/s: 2 ms. Then 1.6
// GB of memory at 1,600 GB/s: 1 ms.
TEST(TwoLevel, AddsItsLevelsUp) {
  const CollectiveModel model(toy_library(), kLinks);
  const GroupPlacement group = {.ranks = 8, .nodes = 2, .ranks_per_node = 4};
  const Seconds gather =
      two_level_time(model, kLinks, 1.6e12, CollectiveKind::all_gather, 800'000'000, group);
  EXPECT_NEAR(gather, 7e-3, 1e-12);
  EXPECT_NEAR(two_level_time(model, kLinks, 1.6e12, CollectiveKind::all_reduce, 800'000'000, group),
              2 * gather, 1e-12);
}

TEST(TwoLevel, NeedsTwoLevels) {
  const CollectiveModel model(toy_library(), kLinks);
  const auto time = [&](const GroupPlacement& group) {
    return two_level_time(model, kLinks, 1e12, CollectiveKind::all_gather, 1 << 20, group);
  };
  EXPECT_THROW(time({.ranks = 4, .nodes = 1, .ranks_per_node = 4}), ConfigError);
  EXPECT_THROW(time({.ranks = 4, .nodes = 4, .ranks_per_node = 1}), ConfigError);
  EXPECT_THROW(time({.ranks = 7, .nodes = 2, .ranks_per_node = 4}), ConfigError);
}

}  // namespace
}  // namespace fourfold
