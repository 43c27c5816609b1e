#include "real/data/token_formats.hpp"

#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

using std::filesystem::path;

path with_suffix(const path& prefix, const char* suffix) {
  path file = prefix;
  file += suffix;
  return file;
}

path without_extension(path file) {
  return file.replace_extension();
}

/// Reads an index file from front to back.
class IndexReader {
 public:
  explicit IndexReader(const path& path) : file_(path) {}

  std::string_view text(std::size_t length) {
    return {reinterpret_cast<const char*>(take(length)), length};
  }
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  std::int64_t bytes_left() const {
    return static_cast<std::int64_t>(file_.bytes().size() - position_);
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw ConfigError(fmt::format("\"{}\": {}", file_.path().string(), problem));
  }

 private:
  const std::byte* take(std::size_t count) {
    if (count > file_.bytes().size() - position_) fail("the index is truncated");
    const std::byte* const begin = file_.bytes().data() + position_;
    position_ += count;
    return begin;
  }

  MappedFile file_;
  std::size_t position_ = 0;
};

TokenType token_type(const IndexReader& index, int code) {
  switch (code) {  // megatron/core/datasets/indexed_dataset.py, DType
    case 1:
      return TokenType::uint8;
    case 3:
      return TokenType::int16;
    case 4:
      return TokenType::int32;
    case 5:
      return TokenType::int64;
    case 8:
      return TokenType::uint16;
    default:
      index.fail(fmt::format("type code {} is not one of a token: 1, 3, 4, 5 or 8", code));
  }
}

struct MegatronIndex {
  TokenType type;
  std::int64_t tokens;
};

MegatronIndex read_index(const path& file) {
  constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
  IndexReader index(file);
  if (index.bytes_left() < static_cast<std::int64_t>(kMagic.size()) ||
      index.text(kMagic.size()) != kMagic) {
    index.fail("is not a Megatron-LM index: the magic bytes MMIDIDX are missing");
  }
  const auto version = index.number<std::uint64_t>();
  if (version != 1) index.fail(fmt::format("has version {}, only 1 is known", version));
  const TokenType type = token_type(index, index.number<std::uint8_t>());
  const auto sequences = static_cast<std::int64_t>(index.number<std::uint64_t>());
  index.number<std::uint64_t>();  // documents, whose boundaries are not needed

  constexpr std::int64_t kLengthAndOffset = 4 + 8;
  if (sequences < 0 || sequences > index.bytes_left() / kLengthAndOffset) {
    index.fail(fmt::format("is truncated: it announces {} sequences", sequences));
  }
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < sequences; ++i) lengths.push_back(index.number<std::int32_t>());
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < sequences; ++i) {
    const auto offset = index.number<std::int64_t>();
    const std::int64_t length = lengths[static_cast<std::size_t>(i)];
    if (length < 0 || offset != tokens * size_of(type)) {
      index.fail(fmt::format("sequence {} does not begin where the one before ends", i));
    }
    tokens += length;
  }
  return {type, tokens};
}

}  // namespace

TokenFile open_text(const path& path) {
  return {std::make_shared<MappedFile>(path), TokenType::uint8};
}

TokenFile open_nano_gpt(const path& path) {
  constexpr std::int32_t kLlmCMagic = 20240520;
  auto file = std::make_shared<MappedFile>(path);
  std::int32_t first = 0;
  if (file->bytes().size() >= sizeof(first)) {
    std::memcpy(&first, file->bytes().data(), sizeof(first));
  }
  if (first == kLlmCMagic) {
    throw ConfigError(
        fmt::format("\"{}\" is a file of llm.c; remove its header of 1024 bytes (tail -c +1025) to "
                    "get the uint16 tokens that nanoGPT writes",
                    path.string()));
  }
  return {std::move(file), TokenType::uint16};
}

TokenFile open_megatron(const path& prefix) {
  const MegatronIndex index = read_index(with_suffix(prefix, ".idx"));
  TokenFile tokens(std::make_shared<MappedFile>(with_suffix(prefix, ".bin")), index.type);
  if (tokens.size() != index.tokens) {
    throw ConfigError(
        fmt::format("\"{}\" has {} tokens, its index announces {}; one of the files is truncated "
                    "or belongs to another data set",
                    tokens.path().string(), tokens.size(), index.tokens));
  }
  return tokens;
}

bool is_megatron_prefix(const path& prefix) {
  return std::filesystem::is_regular_file(with_suffix(prefix, ".idx")) &&
         std::filesystem::is_regular_file(with_suffix(prefix, ".bin"));
}

TokenFile open_tokens(const path& path) {
  if (is_megatron_prefix(path)) return open_megatron(path);
  const bool is_bin = path.extension() == ".bin";
  const bool is_idx = path.extension() == ".idx";
  const bool has_index =
      std::filesystem::is_regular_file(with_suffix(without_extension(path), ".idx"));
  if (is_idx || (is_bin && has_index)) return open_megatron(without_extension(path));
  return is_bin ? open_nano_gpt(path) : open_text(path);
}

}  // namespace fourfold::real
