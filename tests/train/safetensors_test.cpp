// Our files against the format, and damaged or foreign ones.

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/base/error.hpp"
#include "real/checkpoint/safetensors_file.hpp"
#include "real/checkpoint/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

namespace fourfold::real {
namespace {

using test::message_of;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

/// "a" = (2, 2) F32 of 1, 2, 3, 4 and "b" = (3) F64 of 0.5, -1, 1e300; `name` must not exist.
std::filesystem::path write_example(const TemporaryDirectory& directory, const std::string& name) {
  const std::vector<float> a = {1, 2, 3, 4};
  const std::vector<double> b = {0.5, -1, 1e300};
  SafetensorsWriter writer(directory / name,
                           {{"a", DType::float32, {2, 2}}, {"b", DType::float64, {3}}},
                           {{"format", "pt"}});
  writer.write(std::as_bytes(std::span(a)));
  writer.write(std::as_bytes(std::span(b)));
  writer.finish();
  return directory / name;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file with the given header and as many bytes of data.
std::string file_with(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + header +
         std::string(data_bytes, '\0');
}

TEST(Safetensors, FollowTheFormat) {
  const TemporaryDirectory directory;
  const std::string bytes = contents(write_example(directory, "x.safetensors"));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes.size(), 8 + length + 4 * 4 + 3 * 8);
  const std::string header = bytes.substr(8, length);
  EXPECT_THAT(header, HasSubstr(R"("a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]})"));
  EXPECT_THAT(header, HasSubstr(R"("b":{"dtype":"F64","shape":[3],"data_offsets":[16,40]})"));
  EXPECT_THAT(header, HasSubstr(R"("__metadata__":{"format":"pt"})"));
}

TEST(Safetensors, AreReadBack) {
  const TemporaryDirectory directory;
  const SafetensorsFile file(write_example(directory, "x.safetensors"));
  EXPECT_EQ(file.at("a").shape, (Shape{2, 2}));
  EXPECT_THAT(to_doubles(file.at("a"), 0, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(to_doubles(file.at("b"), 1, 2), ElementsAre(-1, 1e300));
}

TEST(Safetensors, AreReadByPython) {
  const TemporaryDirectory directory;
  const auto file = write_example(directory, "x.safetensors");
  const std::string command = fmt::format("python3 {}/tests/train/check_safetensors.py {}",
                                          FOURFOLD_SOURCE_DIR, file.string());
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Safetensors, HalfPrecisionIsExact) {
  const TemporaryDirectory directory;
  const std::string header =
      R"({"h":{"dtype":"F16","shape":[4],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]}})";
  std::string bytes = file_with(header, 0);
  // F16: 1.0, -2.0, smallest subnormal 2^-24, largest 65504; BF16: 1.0, -3.0.
  for (const int bits : {0x3c00, 0xc000, 0x0001, 0x7bff, 0x3f80, 0xc040}) {
    bytes += static_cast<char>(bits & 0xff);
    bytes += static_cast<char>(bits >> 8);
  }
  const SafetensorsFile file(directory.file("x.safetensors", bytes));
  EXPECT_THAT(to_doubles(file.at("h"), 0, 4), ElementsAre(1.0, -2.0, 0x1p-24, 65504.0));
  EXPECT_THAT(to_doubles(file.at("b"), 0, 2), ElementsAre(1.0, -3.0));
}

TEST(Safetensors, DamagedAndForeignFilesAreRefused) {
  const TemporaryDirectory directory;
  const std::string good = contents(write_example(directory, "good.safetensors"));
  const auto error_of = [&](const std::string& bytes) {
    const auto file = directory.file("x.safetensors", bytes);
    return message_of<ConfigError>([&] { SafetensorsFile{file}; });
  };
  EXPECT_EQ(error_of(good), "");
  EXPECT_THAT(error_of(""), HasSubstr("too short"));
  EXPECT_THAT(error_of("just some text, no tensors"), HasSubstr("no safetensors file"));
  EXPECT_THAT(error_of(good.substr(0, 50)), HasSubstr("truncated"));
  EXPECT_THAT(error_of(good.substr(0, good.size() - 1)),
              HasSubstr("truncated: tensor b ends 1 bytes"));
  EXPECT_THAT(error_of(good + "x"), HasSubstr("belong to no tensor"));
  EXPECT_THAT(error_of(file_with("{\"a\"", 0)), HasSubstr("malformed JSON"));
  EXPECT_THAT(error_of(file_with(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)),
              HasSubstr("do not fit type F32 and shape (2)"));
  EXPECT_THAT(error_of(file_with(R"({"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}})", 4)),
              HasSubstr("unknown type F33"));
  EXPECT_THAT(error_of(file_with(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8)),
              HasSubstr("overlap or leave gaps"));
  EXPECT_THAT(
      error_of(file_with(
          R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0)),
      HasSubstr("do not fit"));
}

TEST(Safetensors, MissingTensorsAreNamedWithTheNearest) {
  const TemporaryDirectory directory;
  const auto path = directory.file(
      "x.safetensors",
      file_with(R"({"wte.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4));
  const SafetensorsFile file(path);
  EXPECT_THAT(message_of<ConfigError>([&] { file.at("wpe.weight"); }),
              HasSubstr("the nearest is wte.weight"));
}

TEST(DurableFileTest, ChecksumIsThatOfZlib) {
  const TemporaryDirectory directory;
  DurableFile file(directory / "x");
  const std::string text = "123456789";
  file.write(std::as_bytes(std::span(text)).first(4));
  file.write(std::as_bytes(std::span(text)).subspan(4));
  const FileSummary summary = file.finish();
  EXPECT_EQ(summary.bytes, 9);
  EXPECT_EQ(summary.crc32, 0xcbf43926U);  // the check value of CRC-32 (ITU-T V.42)
  EXPECT_EQ(crc32_of(std::as_bytes(std::span(text))), 0xcbf43926U);
}

TEST(DurableFileTest, FailuresNameFileAndReason) {
  const TemporaryDirectory directory;
  EXPECT_THAT(message_of<Error>([&] { DurableFile(directory / "no/x"); }),
              HasSubstr("No such file or directory"));
  directory.file("exists", "");
  EXPECT_THAT(message_of<Error>([&] { DurableFile(directory / "exists"); }),
              HasSubstr("File exists"));
}

}  // namespace
}  // namespace fourfold::real
