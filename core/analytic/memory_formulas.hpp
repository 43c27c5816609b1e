#pragma once
// Published closed formulas for the memory of Megatron-LM's training, one function each, in bytes for one GPU. Our own
// steps do not need them (step_model.hpp counts tensors); they let published memory of runs with pipelines and sequence
// parallelism, which our grids do not have, be compared with something.
//
// t, p = tensor- and pipeline-parallel size, s = sequence, b = micro-batch, h = hidden, a = heads, L = layers,
// V = vocabulary, f = width of the feed-forward layer, d = data-parallel size. 16-bit weights and activations.

#include <cstdint>

namespace fourfold {

enum class KeptActivations {
  all,                ///< softmax matrices included
  without_attention,  ///< selective recomputation, or flash attention
  only_layer_inputs   ///< full recomputation
};

struct MegatronSetup {
  std::int64_t layers = 0, hidden = 0, heads = 0, sequence = 0, vocabulary = 0;
  std::int64_t ffn = 0;              ///< 4 hidden in a GPT
  std::int64_t key_value_width = 0;  ///< hidden, less with grouped queries
  bool gated = false;                ///< SwiGLU: a third matrix in the feed-forward layer
  std::int64_t micro_batch = 1;
  std::int64_t tensor = 1, pipeline = 1, interleave = 1, data = 1;
  bool sequence_parallel = false;
  bool distributed_optimizer = false;
  KeptActivations kept = KeptActivations::all;

  /// b s.
  double tokens() const { return static_cast<double>(micro_batch * sequence); }
};

/// Weights, gradients and Adam's state for each parameter, 16-bit weights with 32-bit gradients: 18, or 6 + 12 / d with
/// a distributed optimizer (Megatron-LM, docs/source/api-guide/dist_optimizer.rst).
double model_state_bytes_per_parameter(const MegatronSetup& setup);

/// Parameters of the layers alone, of all GPUs: 12 L h^2 for a GPT (Korthikanti et al., arXiv 2205.05198, Eq. 7
/// without its small terms); in general h (2 h + 2 kv) + 2 h f, or 3 h f when gated, for each layer.
double layer_parameters(const MegatronSetup& setup);

/// Korthikanti et al., Table 2: a layer's activations of one micro-batch, for a GPT with dropout.
///
///     all                 s b h (10 + 24/t + 5 a s / (h t)),    sequence parallel s b h (34 + 5 a s / h) / t
///     without_attention   s b h (10 + 24/t),                    sequence parallel 34 s b h / t
///     only_layer_inputs   2 s b h
double gpt_layer_activation_bytes(const MegatronSetup& setup);

/// The same for a Llama layer (no dropout, SwiGLU, fused attention, sequence parallel), counted from the tensors that
/// Transformer Engine keeps, not published: inputs of both norms and what they put out 8 h, queries and attention's
/// output 4 h, keys and values 4 kv, gate and up 4 f, their product 2 f bytes a token, over t.
double llama_layer_activation_bytes(const MegatronSetup& setup);

/// Korthikanti et al., section 4.2.3: the first stage of a 1F1B pipeline holds as many micro-batches of its L / p layers
/// as there are stages, L layers' worth; interleaved in m parts 1 + (p - 1) / (p m) times that.
double first_stage_activation_bytes(const MegatronSetup& setup, double layer_bytes);

/// What torch.cuda reports as the peak of allocations of a Llama in Megatron-Core: the larger of
///
///     first stage   states of L/p layers and the embedding, L layers' worth of activations
///     last stage    states of L/p layers and the head, L/p layers' activations, logits in 16 and 32 bits, and the
///                   head's 16-bit gradient
///
/// each with one 16-bit gradient for every weight shape of a layer (Transformer Engine keeps these dummies). A single
/// stage has both embedding and head. Derived, no constant is fitted; the dummies were looked for after the first
/// comparison fell 1 to 9 % short.
double llama_peak_bytes(const MegatronSetup& setup);

}  // namespace fourfold
