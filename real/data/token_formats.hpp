#pragma once
// The kinds of files that hold tokens.

#include "real/data/token_file.hpp"

namespace fourfold::real {

/// Text: the built-in tokenizer takes every byte as a token, 0 to 255.
TokenFile open_text(const std::filesystem::path& path);

/// nanoGPT: uint16 ids without a header. Throws ConfigError also for llm.c's files, which have one.
TokenFile open_nano_gpt(const std::filesystem::path& path);

/// Megatron-LM: ids in `prefix`.bin, described by `prefix`.idx (magic "MMIDIDX", version 1, type code, numbers of
/// sequences and documents, lengths, byte offsets, document boundaries; megatron/core/datasets/indexed_dataset.py).
/// The sequences must lie behind each other, as Megatron's preprocessing writes them.
TokenFile open_megatron(const std::filesystem::path& prefix);

/// Whether both files of Megatron-LM's format exist.
bool is_megatron_prefix(const std::filesystem::path& prefix);

/// Chooses by name and presence: `path`.bin and `path`.idx, *.idx or *.bin with the other beside it: Megatron-LM;
/// other *.bin: nanoGPT; anything else: text.
TokenFile open_tokens(const std::filesystem::path& path);

}  // namespace fourfold::real
