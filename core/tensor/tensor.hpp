#pragma once
// A tensor is shape + dtype + a handle to storage. It owns no arithmetic and needs no data: the recording device
// and the simulator use tensors whose storage is only a byte account.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/tensor/dtype.hpp"

namespace fourfold {

/// What a piece of memory holds; the memory report has one line for each.
enum class MemoryKind : std::uint8_t { parameters, gradients, optimizer_state, activations, gathered_weights, workspace };
inline constexpr int kMemoryKindCount = 6;
std::string_view name_of(MemoryKind kind);

/// Numbers allocations in program order, from 0, equal on every backend.
using StorageId = std::int64_t;

/// Memory of a device. Backends derive from it; the destructor gives the memory back (in program order).
class Storage {
 public:
  Storage(StorageId id, Bytes bytes, MemoryKind kind) : id_(id), bytes_(bytes), kind_(kind) {}
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  StorageId id() const { return id_; }
  Bytes bytes() const { return bytes_; }
  MemoryKind kind() const { return kind_; }
  /// Address of the bytes, or nullptr where there are none (recorder, simulator).
  virtual std::byte* data() const { return nullptr; }

 private:
  StorageId id_;
  Bytes bytes_;
  MemoryKind kind_;
};

/// Sizes of the dimensions, outermost first (row-major).
using Shape = std::vector<std::int64_t>;
std::int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);

struct Tensor {
  Shape shape;
  DType dtype = DType::float32;
  std::shared_ptr<Storage> storage;
  std::int64_t offset = 0;  ///< first element, counted in elements from the start of the storage

  bool defined() const { return storage != nullptr; }
  std::int64_t elements() const { return element_count(shape); }
  Bytes bytes() const { return elements() * size_of(dtype); }
  /// First element as T; only on backends whose storage has data.
  template <typename T>
  T* data() const { return reinterpret_cast<T*>(storage->data()) + offset; }
};

/// The same elements under another shape. Throws ShapeError unless the element counts agree.
Tensor reshaped(const Tensor& tensor, Shape shape);

/// `count` elements from `begin` of the flattened tensor, as a vector sharing the storage.
Tensor flat_slice(const Tensor& tensor, std::int64_t begin, std::int64_t count);

}  // namespace fourfold
