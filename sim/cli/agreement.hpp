#pragma once
// How well a prediction ranks configurations, against the times that were simulated for them.

#include <cstddef>
#include <span>

namespace fourfold::sim {

struct Agreement {
  double spearman = 0;  ///< rank correlation, 1 = same order; equal values share ranks
  std::size_t best_compared =
      0;                        ///< how many of each ranking are called its best: ten, if there are
  std::size_t best_common = 0;  ///< of the predicted best, those among the simulated best
  double regret = 0;            ///< simulated time of the first choice over the best, minus one
};

/// Both of one length, at least two; predicted[i] and simulated[i] belong together.
Agreement agreement(std::span<const double> predicted, std::span<const double> simulated);

}  // namespace fourfold::sim
