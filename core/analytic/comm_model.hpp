#pragma once
// How long communication takes: the paper's equations over a whole GPT, or fitted times of single
// collectives.

#include <span>
#include <string_view>
#include <vector>

#include "core/analytic/comm_equations.hpp"
#include "core/cost/collective_model.hpp"
#include "core/schedule/train_config.hpp"

namespace fourfold {

enum class CommVariant : std::uint8_t {
  paper,     ///< Eqs 1-7 as printed: bandwidth only, each collective once
  scripted,  ///< the same, counted as the authors' runs communicate (CommCounts::scripted)
  fitted     ///< latency and protocol terms of core/cost/collective_model.hpp, every collective
};
std::string_view name_of(CommVariant variant);
/// Throws ConfigError.
CommVariant parse_comm_variant(std::string_view text);

/// The four linear layers of a transformer block, with the rows of one replica.
std::vector<LinearShape> block_layers(const GptConfig& model, const TrainConfig& train);

/// Eq 6 over all layers of all blocks: `layers` of one block, `blocks` times. What is not in the
/// paper (embedding, head, norms) is not counted.
AxisTimes communication_time(std::span<const LinearShape> layers, std::int64_t blocks,
                             const TrainConfig& train, const CommCounts& counts,
                             const BandwidthTable& bandwidths);

/// How long one collective takes on links that its siblings use too, but nobody else.
struct CollectiveTime {
  Seconds total = 0;          ///< 0 for a group of one
  Seconds transfer = 0;       ///< the part that grows when others use the links
  bool across_nodes = false;  ///< over NICs, else over in-node links
};

/// Fitted times of collectives on one grid, while all groups along the same axes do the same:
/// start-up, latency and protocol as CollectiveModel has them; the bytes of a ring at the group's
/// share of its links, which is Eq 7 with a node's NICs in the place of beta_inter.
class FittedCollectives {
 public:
  /// Keeps references to both.
  FittedCollectives(const CollectiveModel& model, const NodeLinks& links, const Grid& grid)
      : model_(model), links_(links), grid_(grid) {}

  /// `full_bytes` as in core/backend/collective.hpp.
  CollectiveTime time(CollectiveKind kind, Bytes full_bytes, AxisSet axes) const;

 private:
  Seconds transfer(const CollectiveCost& cost, double ring_bytes,
                   const GroupPlacement& group) const;

  const CollectiveModel& model_;
  const NodeLinks& links_;
  const Grid& grid_;
};

}  // namespace fourfold
