#pragma once
// Comparing two training runs.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/training_run.hpp"

namespace fourfold::test {

inline void expect_near_relative(const std::vector<double>& actual,
                                 const std::vector<double>& expected, double tolerance,
                                 const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Written so that NaN fails.
    EXPECT_TRUE(std::abs(actual[i] - expected[i]) <= tolerance * std::abs(expected[i]))
        << what << " " << i << ": " << actual[i] << " instead of " << expected[i];
  }
}

/// Largest deviation of any element, relative to the tensor's largest element: a sum of many terms
/// carries rounding in proportion to its terms, so small elements of a tensor are no more exact
/// than the large ones.
inline void expect_tensors_near(const NamedValues& actual, const NamedValues& expected,
                                double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (const auto& [name, values] : expected) {
    const std::vector<double>& others = actual.at(name);
    ASSERT_EQ(others.size(), values.size()) << what << " " << name;
    double scale = 0;
    double deviation = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      scale = std::max(scale, std::abs(values[i]));
      const double difference = std::abs(others[i] - values[i]);
      deviation = difference >= deviation || std::isnan(difference) ? difference : deviation;
      if (std::isnan(deviation)) break;
    }
    EXPECT_TRUE(deviation <= tolerance * scale)
        << what << " " << name << " deviates by " << deviation << " of " << scale;
  }
}

/// Without the key biases: adding one vector to all keys changes each row of scores by a constant,
/// which softmax ignores. Their gradient is zero by mathematics, and AdamW, which divides it by its
/// own size, makes a step of its rounding error.
inline NamedValues without_key_biases(NamedValues parameters) {
  for (auto& [name, values] : parameters) {
    if (!name.ends_with("qkv.bias")) continue;
    const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
    values.erase(values.begin() + third, values.begin() + 2 * third);
  }
  return parameters;
}

}  // namespace fourfold::test
