#include "sim/engine/folding.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace fourfold::sim {
namespace {

using Colour = std::uint64_t;

/// SplitMix64's finaliser: spreads colours, so that sums of them tell multisets apart.
Colour mix(Colour colour) {
  colour += 0x9e3779b97f4a7c15ULL;
  colour = (colour ^ (colour >> 30)) * 0xbf58476d1ce4e5b9ULL;
  colour = (colour ^ (colour >> 27)) * 0x94d049bb133111ebULL;
  return colour ^ (colour >> 31);
}
Colour combine(Colour a, Colour b) { return mix(a ^ mix(b)); }
Colour colour_of(double value) { return std::bit_cast<Colour>(value); }
Colour colour_of(int value) { return static_cast<Colour>(value); }

std::size_t distinct(std::vector<Colour> colours) {
  std::sort(colours.begin(), colours.end());
  return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

class Refinement {
 public:
  Refinement(const Communicators& communicators, int world_size, const std::vector<Link>& links,
             const std::vector<Colour>& rank_kinds)
      : communicators_(communicators), ranks_(rank_kinds) {
    ranks_.resize(static_cast<std::size_t>(world_size), 0);
    for (const Link& link : links) links_.push_back(combine(colour_of(link.bandwidth), link.shared ? 1 : 0));
    for (std::size_t i = 0; i < communicators.rings.size(); ++i) {
      const Ring& ring = communicators.rings[i];
      Colour colour = colour_of(communicators.communicator_of_ring[i]);
      for (Colour part : {colour_of(ring.placement.ranks), colour_of(ring.placement.nodes),
                          colour_of(ring.placement.ranks_per_node),
                          colour_of(ring.placement.ring_bandwidth), colour_of(ring.hop_latency)}) {
        colour = combine(colour, part);
      }
      rings_.push_back(colour);
    }
  }

  /// Refines until no class is split any more.
  void run() {
    for (std::size_t before = 0, now = classes(); now != before;) {
      before = now;
      round();
      now = classes();
    }
  }

  const std::vector<Colour>& ranks() const { return ranks_; }
  const std::vector<Colour>& rings() const { return rings_; }
  const std::vector<Colour>& links() const { return links_; }

 private:
  std::size_t classes() const { return distinct(ranks_) + distinct(rings_) + distinct(links_); }

  void round() {
    std::vector<Colour> link_sums(links_.size(), 0);
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      const Ring& ring = communicators_.rings[i];
      Colour members = 0;
      for (int rank : ring.members) members += mix(ranks_[static_cast<std::size_t>(rank)]);
      Colour colour = combine(rings_[i], members);
      for (const RingFlow& flow : ring.flows) {
        const Colour flow_colour = combine(rings_[i], combine(colour_of(flow.share), flow.in_node ? 1 : 0));
        Colour used = 0;
        for (const std::vector<LinkId>& hop : flow.hops) {
          for (LinkId link : hop) {
            used += mix(links_[static_cast<std::size_t>(link)]);
            link_sums[static_cast<std::size_t>(link)] += mix(flow_colour);
          }
        }
        colour = combine(colour, combine(flow_colour, used));
      }
      rings_[i] = colour;
    }
    for (std::size_t i = 0; i < links_.size(); ++i) links_[i] = combine(links_[i], link_sums[i]);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (const std::vector<int>& ring_of_rank : communicators_.ring_of_rank) {
        ranks_[r] = combine(ranks_[r], rings_[static_cast<std::size_t>(ring_of_rank[r])]);
      }
    }
  }

  const Communicators& communicators_;
  std::vector<Colour> ranks_, rings_, links_;
};

/// Classes in the order of their first members.
struct Classes {
  std::vector<int> of, size, first;
  int count() const { return static_cast<int>(size.size()); }
};

Classes number(const std::vector<Colour>& colours) {
  Classes classes;
  std::unordered_map<Colour, int> index;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto [entry, added] = index.try_emplace(colours[i], classes.count());
    if (added) {
      classes.size.push_back(0);
      classes.first.push_back(static_cast<int>(i));
    }
    classes.of.push_back(entry->second);
    ++classes.size[static_cast<std::size_t>(entry->second)];
  }
  return classes;
}

/// For every folded flow, (ring class, position in the ring), the representative links it is listed on: each as
/// often as all true flows of the class together are listed on that link.
std::map<std::pair<int, std::size_t>, std::vector<LinkId>> folded_links(const Communicators& communicators,
                                                                        const Classes& rings, const Classes& links) {
  std::vector<bool> represents(links.of.size(), false);
  for (int link : links.first) represents[static_cast<std::size_t>(link)] = true;
  std::map<std::pair<int, std::size_t>, std::vector<LinkId>> result;
  for (std::size_t i = 0; i < communicators.rings.size(); ++i) {
    const std::vector<RingFlow>& flows = communicators.rings[i].flows;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      for (const std::vector<LinkId>& hop : flows[f].hops) {
        for (LinkId link : hop) {
          if (represents[static_cast<std::size_t>(link)]) result[{rings.of[i], f}].push_back(link);
        }
      }
    }
  }
  return result;
}

/// The ring of class `ring_class`, with classes for members.
Ring folded_ring(const Ring& ring, int ring_class, const Classes& ranks,
                 std::map<std::pair<int, std::size_t>, std::vector<LinkId>>& links) {
  Ring folded;
  folded.placement = ring.placement;
  folded.hop_latency = ring.hop_latency;
  for (int rank : ring.members) folded.members.push_back(ranks.of[static_cast<std::size_t>(rank)]);
  std::sort(folded.members.begin(), folded.members.end());
  folded.members.erase(std::unique(folded.members.begin(), folded.members.end()), folded.members.end());
  for (std::size_t f = 0; f < ring.flows.size(); ++f) {
    std::vector<LinkId>& used = links[{ring_class, f}];
    std::sort(used.begin(), used.end());
    folded.flows.push_back({ring.flows[f].in_node, ring.flows[f].share, {std::move(used)}});
  }
  return folded;
}

}  // namespace

Folding fold(const Communicators& communicators, int world_size, const std::vector<Link>& links,
             const std::vector<std::uint64_t>& rank_kinds) {
  Refinement refinement(communicators, world_size, links, rank_kinds);
  refinement.run();
  Folding folding;
  const Classes ranks = number(refinement.ranks());
  const Classes rings = number(refinement.rings());
  auto used_links = folded_links(communicators, rings, number(refinement.links()));

  Communicators& folded = folding.communicators;
  for (int c = 0; c < rings.count(); ++c) {
    const auto first = static_cast<std::size_t>(rings.first[static_cast<std::size_t>(c)]);
    const Ring& ring = communicators.rings[first];
    folded.rings.push_back(folded_ring(ring, c, ranks, used_links));
    folded.communicator_of_ring.push_back(communicators.communicator_of_ring[first]);
    folding.members_in_ring_class.push_back(ring.placement.ranks * rings.size[static_cast<std::size_t>(c)]);
  }
  for (const std::vector<int>& ring_of_rank : communicators.ring_of_rank) {
    std::vector<int>& ring_of_class = folded.ring_of_rank.emplace_back();
    for (int rank : ranks.first) {
      ring_of_class.push_back(rings.of[static_cast<std::size_t>(ring_of_rank[static_cast<std::size_t>(rank)])]);
    }
  }
  folding.class_of_rank = ranks.of;
  folding.ranks_in_class = ranks.size;
  folding.representative = ranks.first;
  return folding;
}

Folding no_folding(const Communicators& communicators, int world_size) {
  Folding folding;
  folding.communicators = communicators;
  folding.class_of_rank.resize(static_cast<std::size_t>(world_size));
  std::iota(folding.class_of_rank.begin(), folding.class_of_rank.end(), 0);
  folding.representative = folding.class_of_rank;
  folding.ranks_in_class.assign(static_cast<std::size_t>(world_size), 1);
  for (const Ring& ring : communicators.rings) folding.members_in_ring_class.push_back(ring.placement.ranks);
  return folding;
}

}  // namespace fourfold::sim
