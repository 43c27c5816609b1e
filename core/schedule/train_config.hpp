#pragma once
// How a model is trained: grid, batch, precision, recomputation, overlap, optimizer.

#include "core/backend/kernel.hpp"
#include "core/grid/grid.hpp"
#include "core/models/gpt_config.hpp"
#include "core/schedule/overlap_policy.hpp"

namespace fourfold {

enum class Recompute { none, full };

struct OptimizerConfig {
  double learning_rate = 3e-4;
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
  double weight_decay = 0.1;  ///< on matrices only
  double clip_norm = 1.0;     ///< 0 = no clipping
};

struct TrainConfig {
  Grid grid;
  std::int64_t batch = 0;        ///< sequences per step, over the whole world
  std::int64_t micro_batch = 1;  ///< sequences per rank and micro-batch
  std::int64_t sequence = 0;     ///< tokens per sequence; at most the model's
  DType dtype = DType::bfloat16;
  Recompute recompute = Recompute::full;
  AttentionAlgorithm attention = AttentionAlgorithm::flash;
  OverlapPolicy overlap = OverlapPolicy::all();
  double dropout = 0.0;          ///< probability, on embeddings, attention and both branches of a block, as GPT-2
  std::uint64_t seed = 0;        ///< of the dropout masks
  OptimizerConfig optimizer;

  /// batch / (data z micro_batch): how often gradients are accumulated.
  std::int64_t micro_batches() const;
  /// Sequences that one rank sees in a step: batch / (data z).
  std::int64_t sequences_per_rank() const;
  /// Tokens on one rank in one micro-batch.
  std::int64_t rows() const { return micro_batch * sequence; }
};

/// Throws ShapeError or ConfigError, with the choices, unless model, batch and grid fit together.
void check_divisibility(const GptConfig& model, const TrainConfig& train);

/// The possible micro-batch sizes of a configuration, ascending: divisors of the sequences of one rank.
std::vector<std::int64_t> micro_batch_choices(const TrainConfig& train);

}  // namespace fourfold
