#include "real/data/token_file.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {
namespace {

template <typename T>
std::int64_t load(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return static_cast<std::int64_t>(value);
}

std::int64_t load(TokenType type, const std::byte* address) {
  switch (type) {
    case TokenType::uint8:
      return load<std::uint8_t>(address);
    case TokenType::uint16:
      return load<std::uint16_t>(address);
    case TokenType::int16:
      return load<std::int16_t>(address);
    case TokenType::int32:
      return load<std::int32_t>(address);
    case TokenType::int64:
      return load<std::int64_t>(address);
  }
  return -1;
}

}  // namespace

std::int64_t size_of(TokenType type) {
  switch (type) {
    case TokenType::uint8:
      return 1;
    case TokenType::uint16:
    case TokenType::int16:
      return 2;
    case TokenType::int32:
      return 4;
    case TokenType::int64:
      return 8;
  }
  return 0;
}

TokenFile::TokenFile(std::shared_ptr<const MappedFile> file, TokenType type)
    : file_(std::move(file)), type_(type) {
  const auto bytes = static_cast<std::int64_t>(file_->bytes().size());
  size_ = bytes / size_of(type);
  if (bytes == 0) {
    throw ConfigError(fmt::format("\"{}\" is empty; give a file with tokens", path().string()));
  }
  if (bytes % size_of(type) != 0) {
    throw ConfigError(
        fmt::format("\"{}\" has {} bytes, which is no whole number of {}-byte tokens; it is "
                    "truncated or not a token file",
                    path().string(), bytes, size_of(type)));
  }
}

void TokenFile::read(std::int64_t begin, std::span<std::int32_t> tokens,
                     std::int64_t vocabulary) const {
  const std::byte* address = file_->bytes().data() + begin * size_of(type_);
  for (std::int32_t& token : tokens) {
    const std::int64_t id = load(type_, address);
    if (id < 0 || id >= vocabulary) {
      throw ConfigError(fmt::format(
          "\"{}\": token {} is {}, outside the model's vocabulary of {}; choose a model with the "
          "vocabulary of the tokenizer",
          path().string(), (address - file_->bytes().data()) / size_of(type_), id, vocabulary));
    }
    token = static_cast<std::int32_t>(id);
    address += size_of(type_);
  }
}

}  // namespace fourfold::real
