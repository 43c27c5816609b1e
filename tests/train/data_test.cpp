// Token files of every format, and what is said of damaged ones.

#include <cstring>

#include <gmock/gmock.h>

#include "core/base/error.hpp"
#include "real/data/corpus.hpp"
#include "real/data/token_formats.hpp"
#include "tests/support/temporary_directory.hpp"

namespace fourfold::real {
namespace {

using test::message_of;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kVocabulary = 50257;

std::vector<std::int32_t> all_tokens(const Corpus& corpus) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(corpus.size()));
  corpus.read(0, tokens);
  return tokens;
}

std::vector<std::int32_t> all_tokens(const std::filesystem::path& path) {
  return all_tokens(Corpus({path}, kVocabulary));
}

std::string error_of(const std::filesystem::path& path) {
  return message_of<ConfigError>([&] { all_tokens(path); });
}

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

/// An index of Megatron-LM: sequences of the given lengths, one behind the other, one document.
std::string megatron_index(std::uint8_t type_code, std::int64_t token_size,
                           const std::vector<std::int32_t>& lengths) {
  std::string index("MMIDIDX\0\0", 9);
  index += raw(std::uint64_t{1}) + raw(type_code) + raw(std::uint64_t{lengths.size()}) +
           raw(std::uint64_t{2});
  for (const std::int32_t length : lengths) index += raw(length);
  std::int64_t offset = 0;
  for (const std::int32_t length : lengths) {
    index += raw(offset);
    offset += length * token_size;
  }
  return index + raw(std::int64_t{0}) +
         raw(std::int64_t{static_cast<std::int64_t>(lengths.size())});
}

TEST(TextTokens, AreTheBytes) {
  const TemporaryDirectory directory;
  EXPECT_THAT(all_tokens(directory.file("a.txt", "Hi\n\xff")), ElementsAre(72, 105, 10, 255));
}

TEST(TextTokens, NeedAByteVocabulary) {
  const TemporaryDirectory directory;
  const auto file = directory.file("a.txt", "Hi");
  EXPECT_THAT(message_of<ConfigError>([&] { Corpus({file}, 255); }),
              HasSubstr("vocabulary of 256"));
}

TEST(TextTokens, EmptyAndMissingFilesAreRefused) {
  const TemporaryDirectory directory;
  EXPECT_THAT(error_of(directory.file("a.txt", "")), HasSubstr("is empty"));
  EXPECT_THAT(error_of(directory / "missing.txt"), HasSubstr("there is no such file"));
  std::filesystem::create_directory(directory / "folder");
  EXPECT_THAT(error_of(directory / "folder"), HasSubstr("has no files"));
}

TEST(NanoGptTokens, AreUint16) {
  const TemporaryDirectory directory;
  const auto file = directory.file_of<std::uint16_t>("train.bin", {1, 50256, 7});
  EXPECT_THAT(all_tokens(file), ElementsAre(1, 50256, 7));
}

TEST(NanoGptTokens, HalfATokenIsRefused) {
  const TemporaryDirectory directory;
  EXPECT_THAT(error_of(directory.file("train.bin", "abc")), HasSubstr("truncated"));
}

TEST(NanoGptTokens, ForeignHeaderIsRefused) {
  const TemporaryDirectory directory;
  const auto file = directory.file_of<std::int32_t>("train.bin", {20240520, 1, 5});
  EXPECT_THAT(error_of(file), HasSubstr("llm.c"));
}

TEST(NanoGptTokens, IdsOutsideTheVocabularyAreRefusedWithTheirPlace) {
  const TemporaryDirectory directory;
  const auto file = directory.file_of<std::uint16_t>("train.bin", {1, 2, 50257});
  EXPECT_THAT(error_of(file),
              HasSubstr("token 2 is 50257, outside the model's vocabulary of 50257"));
}

TEST(MegatronTokens, AreFoundByPrefixBinOrIdx) {
  const TemporaryDirectory directory;
  directory.file_of<std::int32_t>("text_document.bin", {10, 20, 30, 40, 50});
  directory.file("text_document.idx", megatron_index(4, 4, {2, 3}));
  for (const char* name : {"text_document", "text_document.bin", "text_document.idx"}) {
    EXPECT_THAT(all_tokens(directory / name), ElementsAre(10, 20, 30, 40, 50)) << name;
  }
}

TEST(MegatronTokens, MayBeUint16) {
  const TemporaryDirectory directory;
  directory.file_of<std::uint16_t>("a.bin", {10, 50000});
  directory.file("a.idx", megatron_index(8, 2, {2}));
  EXPECT_THAT(all_tokens(directory / "a"), ElementsAre(10, 50000));
}

TEST(MegatronTokens, DamagedIndexesAreRefused) {
  const TemporaryDirectory directory;
  directory.file_of<std::int32_t>("a.bin", {10, 20, 30, 40, 50});
  const std::string good = megatron_index(4, 4, {2, 3});
  const auto error_with = [&](const std::string& index) {
    directory.file("a.idx", index);
    return error_of(directory / "a");
  };
  EXPECT_EQ(error_with(good), "");
  EXPECT_THAT(error_with("XX" + good.substr(2)), HasSubstr("magic"));
  EXPECT_THAT(error_with("MM"), HasSubstr("magic"));
  EXPECT_THAT(error_with(std::string(good).replace(9, 1, "\2")), HasSubstr("version 2"));
  EXPECT_THAT(error_with(std::string(good).replace(17, 1, "\7")), HasSubstr("type code 7"));
  EXPECT_THAT(error_with(good.substr(0, 20)), HasSubstr("truncated"));
  EXPECT_THAT(error_with(good.substr(0, 40)), HasSubstr("truncated"));
  EXPECT_THAT(error_with(megatron_index(4, 4, {2, 2})), HasSubstr("its index announces 4"));
  EXPECT_THAT(error_with(megatron_index(4, 8, {2, 3})), HasSubstr("sequence 1 does not begin"));
}

TEST(CorpusTest, JoinsFilesInOrderAndTakesLinksOnce) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "texts");
  directory.file("texts/b.txt", "cd");
  directory.file("texts/a.txt", "ab");
  std::filesystem::create_symlink("b.txt", directory / "texts/c.txt");
  const Corpus corpus({directory / "texts", directory / "texts/a.txt"}, 256);
  EXPECT_THAT(all_tokens(corpus), ElementsAre('a', 'b', 'c', 'd'));
  std::vector<std::int32_t> middle(2);
  corpus.read(1, middle);  // across the files
  EXPECT_THAT(middle, ElementsAre('b', 'c'));
}

TEST(CorpusTest, SplitHoldsOutTheEndOfEveryFile) {
  const TemporaryDirectory directory;
  const auto first = directory.file("1.txt", "abcdefgh"), second = directory.file("2.txt", "ABCD");
  const auto [training, validation] = Corpus({first, second}, 256).split(0.25);
  EXPECT_THAT(all_tokens(training), ElementsAre('a', 'b', 'c', 'd', 'e', 'f', 'A', 'B', 'C'));
  EXPECT_THAT(all_tokens(validation), ElementsAre('g', 'h', 'D'));
}

}  // namespace
}  // namespace fourfold::real
