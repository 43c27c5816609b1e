#pragma once
// Weights as one safetensors file in Hugging Face's naming of GPT-2 (transformers, models/gpt2): wte, wpe,
// h.N.attn.c_attn, ... Its Conv1D weights lie (inputs, outputs), as ours do, with queries, keys and values one behind
// the other in the columns, as ours are.

#include <filesystem>
#include <string>

#include "core/layers/parameter.hpp"
#include "real/checkpoint/checkpoint.hpp"

namespace fourfold::real {

/// "blocks.3.attention.qkv.weight" -> "h.3.attn.c_attn.weight".
std::string hugging_face_name(const std::string& parameter);

/// Writes the weights of a checkpoint, in its wide type. Throws Error if the file exists or cannot be written.
void export_weights(const Checkpoint& checkpoint, const std::filesystem::path& file);

/// Fills the weights of this rank's shards, and the optimizer's moments with zeros. Names may begin with
/// "transformer."; types may be F64, F32, F16 or BF16; a vocabulary smaller than the model's is filled up with copies
/// of its last row (as Megatron-LM's converters do). Throws ConfigError naming a tensor that is missing or does not fit.
void import_weights(RankContext& context, const std::filesystem::path& file,
                    const ParameterStore& store);

}  // namespace fourfold::real
