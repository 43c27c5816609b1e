#pragma once
// The paper's two-level bandwidths (Singh et al., SC'24, section V.B).
//
// A process group of size G1 whose inner axes (the faster ones of the rank order) multiply to G0:
//
//   inside a node, G0 G1 <= G_node    beta(G0, G1), measured on one node with all its sibling
//                                     groups active at once
//   across nodes                      beta = beta_inter / min(G_node, G0)                    (Eq 7)
//
// One ring over two nodes of 4 GPUs has all of beta_inter; two rings side by side have half each.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/grid/grid.hpp"

namespace fourfold {

struct BandwidthTable {
  struct InNode {
    int inner = 1;  ///< G0
    int group = 1;  ///< G1
    BytesPerSecond bandwidth = 0;
  };

  std::string name;
  int gpus_per_node = 1;
  BytesPerSecond inter_node = 0;  ///< beta_inter: of one ring that has a node's NICs to itself
  std::vector<InNode> in_node;

  /// Bandwidth of a group inside or across nodes. Sizes that were not measured (3 GPUs, say) take
  /// the measured sizes next below.
  BytesPerSecond of(int inner, int group) const;
  /// Of the groups along `axis`, ranks filling the machine in order.
  BytesPerSecond of(Axis axis, const Grid& grid) const {
    return of(grid.stride(axis), grid.size(axis));
  }
};

/// Reads platforms/bandwidths/NAME.json. Throws ConfigError naming file and key.
BandwidthTable read_bandwidth_table(const std::filesystem::path& file);

}  // namespace fourfold
