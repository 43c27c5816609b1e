#pragma once
// Token ids in a mapped file: an array of integers of one type.

#include <cstdint>
#include <memory>
#include <span>

#include "real/data/mapped_file.hpp"

namespace fourfold::real {

/// How an id is stored; all little-endian.
enum class TokenType : std::uint8_t { uint8, uint16, int16, int32, int64 };
std::int64_t size_of(TokenType type);

class TokenFile {
 public:
  /// The whole of `file` is an array of `type`. Throws ConfigError if it is empty or ends within a token.
  TokenFile(std::shared_ptr<const MappedFile> file, TokenType type);

  const std::filesystem::path& path() const { return file_->path(); }
  TokenType type() const { return type_; }
  /// Number of tokens.
  std::int64_t size() const { return size_; }

  /// Copies the tokens from `begin` on. Throws ConfigError, with the place, for an id outside 0 ... vocabulary - 1.
  void read(std::int64_t begin, std::span<std::int32_t> tokens, std::int64_t vocabulary) const;

 private:
  std::shared_ptr<const MappedFile> file_;
  TokenType type_;
  std::int64_t size_;
};

}  // namespace fourfold::real
