#pragma once
// Which tokens are read in which step by which rank.
//
// The corpus is cut into windows of `sequence` tokens; the targets of a window are its tokens one position on. Sample
// i is a window: in epoch i / windows() they come in an order that (seed, epoch) decides. A batch of B sequences is B
// consecutive samples, of which each part of the ranks takes its consecutive share, so the global batch is the same on
// every grid.

#include <cstdint>
#include <vector>

#include "real/data/corpus.hpp"

namespace fourfold::real {

/// The sequences of one rank, one after the other: tokens and targets, (sequences * sequence) each.
struct RankBatch {
  std::vector<std::int32_t> tokens, targets;
};

class Batches {
 public:
  /// Throws ConfigError if the corpus is shorter than one window. `purpose` names it in the message.
  Batches(Corpus corpus, std::int64_t sequence, std::uint64_t seed, const char* purpose);

  /// Samples in an epoch.
  std::int64_t windows() const { return windows_; }

  /// Part `part` of `parts` equal ones of the batch that begins with sample `first`. parts divides batch.
  RankBatch read(std::int64_t first, std::int64_t batch, int part, int parts) const;

 private:
  std::int64_t window(std::int64_t sample) const;

  Corpus corpus_;
  std::int64_t sequence_;
  std::uint64_t key_;
  std::int64_t windows_;
};

}  // namespace fourfold::real
