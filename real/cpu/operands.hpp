#pragma once
// How kernels read and write tensors: checked pointers to elements of the stored type, arithmetic in the wide type.

#include <algorithm>
#include <type_traits>

#include "core/tensor/tensor.hpp"
#include "real/cpu/block_cache.hpp"
#include "real/base/bfloat16.hpp"

namespace fourfold::real::cpu {

/// The type of arithmetic, sums and statistics: double for double, float for float and bf16.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, double>) return DType::float64;
  if constexpr (std::is_same_v<T, float>) return DType::float32;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::bfloat16;
  return DType::int32;
}

template <typename T>
Wide<T> widen(T value) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    return static_cast<float>(static_cast<double>(value));
  } else {
    return static_cast<Wide<T>>(value);
  }
}

/// Throws ShapeError naming `what` unless `tensor` is defined and has `elements` elements of type `dtype`.
void check_operand(const Tensor& tensor, DType dtype, std::int64_t elements, const char* what);
/// Throws ShapeError: kernel operands are floating-point numbers where they are not said to be tokens.
[[noreturn]] void throw_not_floating_point(DType dtype);

template <typename T>
T* elements_of(const Tensor& tensor, std::int64_t elements, const char* what) {
  check_operand(tensor, dtype_of<T>(), elements, what);
  return tensor.data<T>();
}

/// Columns = the last dimension, rows = all others together.
inline std::int64_t columns_of(const Tensor& tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape.back();
}
inline std::int64_t rows_of(const Tensor& tensor) {
  const std::int64_t columns = columns_of(tensor);
  return columns == 0 ? 0 : tensor.elements() / columns;
}

/// Calls `body(T{})` with the type that `dtype` names.
template <typename Body>
void with_float_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::float64:
      return body(double{});
    case DType::float32:
      return body(float{});
    case DType::bfloat16:
      return body(BFloat16{});
    case DType::int32:
      break;
  }
  throw_not_floating_point(dtype);
}

template <typename From, typename To>
void convert(const From* from, To* to, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(widen(from[i]));
}

/// Scratch memory for `count` elements.
template <typename T>
class Scratch {
 public:
  Scratch() = default;
  Scratch(BlockCache& cache, std::int64_t count)
      : block_(cache.take(count * static_cast<Bytes>(sizeof(T)))) {}
  T* data() const { return reinterpret_cast<T*>(block_.get()); }

 private:
  Block block_;
};

/// The elements of a tensor in the wide type: its own memory, or a converted copy of bf16 numbers.
template <typename T>
class WideInput {
 public:
  WideInput(BlockCache& cache, const T* values, std::int64_t count) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      data_ = values;
    } else {
      copy_ = Scratch<Wide<T>>(cache, count);
      convert(values, copy_.data(), count);
      data_ = copy_.data();
    }
  }
  const Wide<T>* data() const { return data_; }

 private:
  const Wide<T>* data_ = nullptr;
  Scratch<Wide<T>> copy_;
};

/// Where a kernel leaves wide results: the tensor's own memory, or a buffer that `store` rounds to bf16.
template <typename T>
class WideOutput {
 public:
  WideOutput(BlockCache& cache, T* values, std::int64_t count) : values_(values), count_(count) {
    if constexpr (!std::is_same_v<T, Wide<T>>) buffer_ = Scratch<Wide<T>>(cache, count);
  }
  Wide<T>* data() const {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      return values_;
    } else {
      return buffer_.data();
    }
  }
  void store() const {
    if constexpr (!std::is_same_v<T, Wide<T>>) convert(buffer_.data(), values_, count_);
  }

 private:
  T* values_;
  std::int64_t count_;
  Scratch<Wide<T>> buffer_;
};

}  // namespace fourfold::real::cpu
