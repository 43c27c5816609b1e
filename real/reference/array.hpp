#pragma once
// The arithmetic of the reference backend, in one rule: an operation loads its operands as doubles,
// evaluates its formula in double, and rounds once to the type of the tensor it stores to (bf16 by
// way of fp32). Results therefore hardly depend on the order of sums, and a kernel reads like its
// formula.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <span>
#include <vector>

#include "core/tensor/tensor.hpp"

namespace fourfold::real {

/// Sizes of up to five dimensions: a Shape that needs no memory of its own.
class Extents {
 public:
  Extents(std::initializer_list<std::int64_t> sizes) {
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
    elements_ = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  }
  std::int64_t operator[](std::size_t dimension) const { return sizes_[dimension]; }
  std::int64_t elements() const { return elements_; }

 private:
  std::array<std::int64_t, 5> sizes_{};
  std::int64_t elements_;
};

/// A tensor's values, row-major. `array(i, j, k)` is checked nowhere: `load` has checked the shape.
class Array {
 public:
  /// Zeros.
  explicit Array(const Extents& extents)
      : extents_(extents), values_(static_cast<std::size_t>(extents.elements())) {}

  template <typename... Index>
  double& operator()(Index... index) {
    return values_[position(index...)];
  }
  template <typename... Index>
  double operator()(Index... index) const {
    return values_[position(index...)];
  }

  std::int64_t size(std::size_t dimension) const { return extents_[dimension]; }
  std::span<double> values() & { return values_; }
  std::span<const double> values() const& { return values_; }
  std::span<const double> values() const&& = delete;  // would outlive the array

 private:
  template <typename... Index>
  std::size_t position(Index... index) const {
    std::int64_t flat = 0;
    std::size_t dimension = 0;
    ((flat = flat * extents_[dimension++] + index), ...);
    return static_cast<std::size_t>(flat);
  }

  Extents extents_;
  std::vector<double> values_;
};

/// The values of `tensor` seen as `extents`. Throws ShapeError naming `what` unless the element
/// counts agree.
Array load(const Tensor& tensor, const Extents& extents, const char* what);
/// Every element, as a vector.
Array load_flat(const Tensor& tensor);
/// Rounds `array` into `tensor`. Throws ShapeError naming `what` unless the element counts agree.
void store(const Array& array, const Tensor& tensor, const char* what);

/// Columns = the last dimension, rows = all others together.
std::int64_t columns_of(const Tensor& tensor);
std::int64_t rows_of(const Tensor& tensor);

}  // namespace fourfold::real
