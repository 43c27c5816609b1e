#include "sim/cli/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace fourfold::sim {
namespace {

std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// Rank of each value; equal values have the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  const std::vector<std::size_t> order = ascending(values);
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
    begin = end;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean = static_cast<double>(a.size() - 1) / 2;  // of any ranks
  double products = 0, squares_a = 0, squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    products += (a[i] - mean) * (b[i] - mean);
    squares_a += (a[i] - mean) * (a[i] - mean);
    squares_b += (b[i] - mean) * (b[i] - mean);
  }
  return products / std::sqrt(squares_a * squares_b);
}

}  // namespace

Agreement agreement(std::span<const double> predicted, std::span<const double> simulated) {
  constexpr std::size_t kBest = 10;
  const std::vector<std::size_t> by_prediction = ascending(predicted);
  const std::vector<std::size_t> by_simulation = ascending(simulated);
  Agreement result;
  result.spearman = correlation(ranks_of(predicted), ranks_of(simulated));
  result.best_compared = std::min(kBest, predicted.size());
  const auto best_end = by_simulation.begin() + static_cast<std::ptrdiff_t>(result.best_compared);
  for (std::size_t i = 0; i < result.best_compared; ++i) {
    if (std::find(by_simulation.begin(), best_end, by_prediction[i]) != best_end) {
      result.best_common += 1;
    }
  }
  result.regret = simulated[by_prediction[0]] / simulated[by_simulation[0]] - 1;
  return result;
}

}  // namespace fourfold::sim
