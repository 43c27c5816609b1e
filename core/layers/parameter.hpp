#pragma once
// Parameters and the flat buckets that hold them.
//
// Each rank owns a shard of every matrix (its block split once more over z) and replicas of the small vectors.
// Parameters of one bucket lie behind each other in flat buffers: one for the values in the training type, one for
// the gradients in the wide type, and the optimizer's. So a bucket is reduced by one collective and updated by one
// kernel, and a parameter is a view.

#include <memory>
#include <string>
#include <vector>

#include "core/backend/rank_context.hpp"
#include "core/tensor/placement.hpp"

namespace fourfold {

struct ParameterSpec {
  std::string name;   ///< "blocks.3.attention.qkv.weight"
  Shape shape;        ///< of the whole matrix, (rows, columns); vectors are (1, columns)
  Placement placement;
  double mean = 0.0, standard_deviation = 0.0;  ///< initial values: normally distributed
  int uses = 1;       ///< gradient contributions per micro-batch (2 for tied embeddings)
};

/// A parameter as one rank holds it: views into its bucket.
struct Parameter {
  ParameterSpec spec;
  std::size_t bucket = 0;
  Tensor value;     ///< this rank's shard, flat, training type
  Tensor gradient;  ///< the same elements, wide type
};

/// Parameters that are reduced and updated together.
struct ParameterBucket {
  std::string name;
  AxisSet reduced_over;        ///< data, and z as well for parameters that are not sharded over it
  int replicas = 1;            ///< tensor-parallel ranks that hold the same elements
  bool weight_decay = true;
  std::vector<Parameter*> parameters;
  Tensor values, gradients, master, first_moment, second_moment;  ///< flat; master is `values` in wide training types
};

class ParameterStore {
 public:
  explicit ParameterStore(DType dtype) : dtype_(dtype) {}

  /// Adds a parameter to the bucket of that name, which is made on first use. The pointer stays valid.
  /// All parameters of a bucket must agree in what they are replicated over. Throws ShapeError if the grid does not
  /// divide the shape.
  Parameter* add(const Grid& grid, const std::string& bucket, ParameterSpec spec);

  /// Allocates the flat buffers and sets the views. Called once, after the last `add`.
  void allocate(RankContext& context);

  DType dtype() const { return dtype_; }
  std::vector<ParameterBucket>& buckets() { return buckets_; }
  const std::vector<ParameterBucket>& buckets() const { return buckets_; }
  const std::vector<std::unique_ptr<Parameter>>& parameters() const { return parameters_; }

 private:
  DType dtype_;
  std::vector<ParameterBucket> buckets_;
  std::vector<std::unique_ptr<Parameter>> parameters_;
};

/// Fills all parameters with their initial values, which depend on seed, name and global element only, never on the
/// grid. Used where there is data; recording does not need it.
void initialize_parameters(RankContext& context, ParameterStore& store, std::uint64_t seed);

}  // namespace fourfold
