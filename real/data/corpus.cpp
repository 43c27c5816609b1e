#include "real/data/corpus.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/data/token_formats.hpp"

namespace fourfold::real {
namespace {

using std::filesystem::path;

std::vector<path> files_of(const path& given) {
  if (!std::filesystem::is_directory(given)) return {given};
  std::vector<path> files;
  for (const auto& entry : std::filesystem::directory_iterator(given)) {
    // The index of a Megatron-LM file is opened along with its tokens.
    if (entry.is_regular_file() && entry.path().extension() != ".idx")
      files.push_back(entry.path());
  }
  if (files.empty()) {
    throw ConfigError(
        fmt::format("folder \"{}\" has no files; give files with text or tokens", given.string()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Corpus::Corpus(const std::vector<path>& paths, std::int64_t vocabulary) : vocabulary_(vocabulary) {
  constexpr std::int64_t kByteVocabulary = 256;
  std::set<path> taken;
  for (const path& given : paths) {
    for (const path& file : files_of(given)) {
      TokenFile tokens = open_tokens(file);
      if (!taken.insert(std::filesystem::canonical(tokens.path())).second) continue;
      if (tokens.type() == TokenType::uint8 && vocabulary < kByteVocabulary) {
        throw ConfigError(fmt::format(
            "\"{}\" is text, whose bytes need a vocabulary of {}, but the model has {}; choose "
            "another model, such as gpt-nano",
            file.string(), kByteVocabulary, vocabulary));
      }
      const std::int64_t count = tokens.size();
      add({std::move(tokens), 0, count});
    }
  }
}

void Corpus::add(Slice slice) {
  if (slice.count == 0) return;
  starts_.push_back(size_);
  size_ += slice.count;
  slices_.push_back(std::move(slice));
}

bool Corpus::is_text() const {
  return std::all_of(slices_.begin(), slices_.end(),
                     [](const Slice& slice) { return slice.file.type() == TokenType::uint8; });
}

void Corpus::read(std::int64_t begin, std::span<std::int32_t> tokens) const {
  auto start = std::upper_bound(starts_.begin(), starts_.end(), begin) - 1;
  for (; !tokens.empty(); ++start) {
    const Slice& slice = slices_[static_cast<std::size_t>(start - starts_.begin())];
    const std::int64_t skipped = begin - *start;
    const auto count = static_cast<std::size_t>(
        std::min(slice.count - skipped, static_cast<std::int64_t>(tokens.size())));
    slice.file.read(slice.begin + skipped, tokens.first(count), vocabulary_);
    begin += static_cast<std::int64_t>(count);
    tokens = tokens.subspan(count);
  }
}

std::pair<Corpus, Corpus> Corpus::split(double fraction) const {
  Corpus training(vocabulary_), validation(vocabulary_);
  for (const Slice& slice : slices_) {
    const auto held_out =
        static_cast<std::int64_t>(std::floor(static_cast<double>(slice.count) * fraction));
    const std::int64_t kept = slice.count - held_out;
    training.add({slice.file, slice.begin, kept});
    validation.add({slice.file, slice.begin + kept, held_out});
  }
  return {std::move(training), std::move(validation)};
}

}  // namespace fourfold::real
