#pragma once
// Token files, or parts of them, as one long sequence of tokens.

#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "real/data/token_file.hpp"

namespace fourfold::real {

class Corpus {
 public:
  /// Files are taken as given, folders as all their files in the order of their names, a file reached twice (by a
  /// link) once. Throws ConfigError for what cannot be read or is too large for a model of `vocabulary` tokens.
  Corpus(const std::vector<std::filesystem::path>& paths, std::int64_t vocabulary);

  std::int64_t size() const { return size_; }
  /// Whether all files are text, taken byte by byte.
  bool is_text() const;

  /// Copies the tokens from `begin` on. Throws ConfigError for an id outside the vocabulary.
  void read(std::int64_t begin, std::span<std::int32_t> tokens) const;

  /// All but the last `fraction` of every file, and those last parts. fraction in [0, 1).
  std::pair<Corpus, Corpus> split(double fraction) const;

 private:
  struct Slice {
    TokenFile file;
    std::int64_t begin, count;  // in the file
  };
  explicit Corpus(std::int64_t vocabulary) : vocabulary_(vocabulary) {}
  void add(Slice slice);

  std::int64_t vocabulary_;
  std::vector<Slice> slices_;
  std::vector<std::int64_t> starts_;  // of the slices in the corpus
  std::int64_t size_ = 0;
};

}  // namespace fourfold::real
