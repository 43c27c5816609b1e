#pragma once
// The arithmetic of the reference backend, in one rule: an operation loads its operands as doubles,
// evaluates its formula in double, and rounds once to the type of the tensor it stores to (bf16 by
// way of fp32). Results therefore hardly depend on the order of sums, and a kernel reads like its
// formula.

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor/tensor.hpp"

namespace fourfold::real {

/// A tensor's values, row-major. `array(i, j, k)` is checked nowhere: `load` has checked the shape.
class Array {
 public:
  /// Zeros.
  explicit Array(Shape shape)
      : shape_(std::move(shape)), values_(static_cast<std::size_t>(element_count(shape_))) {}

  template <typename... Index>
  double& operator()(Index... index) {
    return values_[position(index...)];
  }
  template <typename... Index>
  double operator()(Index... index) const {
    return values_[position(index...)];
  }

  std::int64_t size(std::size_t dimension) const { return shape_[dimension]; }
  std::span<double> values() & { return values_; }
  std::span<const double> values() const& { return values_; }
  std::span<const double> values() const&& = delete;  // would outlive the array

 private:
  template <typename... Index>
  std::size_t position(Index... index) const {
    std::int64_t flat = 0;
    std::size_t dimension = 0;
    ((flat = flat * shape_[dimension++] + index), ...);
    return static_cast<std::size_t>(flat);
  }

  Shape shape_;
  std::vector<double> values_;
};

/// The values of `tensor` seen as `shape`. Throws ShapeError naming `what` unless the element
/// counts agree.
Array load(const Tensor& tensor, const Shape& shape, const char* what);
/// Every element, as a vector.
Array load_flat(const Tensor& tensor);
/// Rounds `array` into `tensor`. Throws ShapeError naming `what` unless the element counts agree.
void store(const Array& array, const Tensor& tensor, const char* what);

/// Columns = the last dimension, rows = all others together.
std::int64_t columns_of(const Tensor& tensor);
std::int64_t rows_of(const Tensor& tensor);

}  // namespace fourfold::real
