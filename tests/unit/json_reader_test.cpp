#include "core/base/json_reader.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace fourfold {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(JsonReader, ReadsEveryTypeAndFinishes) {
  JsonObject file = parse_json(R"({"source": "a paper", "name": "gpt", "layers": 24, "batch": 1e6,
      "rate": 6e-4, "tied": true, "beta": 1, "adam": {"step": 3},
      "grids": [4, 1, 32], "tags": ["a", "b"], "runs": [{"n": 1}, {"n": 2}]})",
                               "gpt.json");
  EXPECT_EQ(file.string("name"), "gpt");
  EXPECT_EQ(file.positive_integer("layers"), 24);
  EXPECT_EQ(file.integer("batch"), 1000000);
  EXPECT_EQ(file.positive_number("rate"), 6e-4);
  EXPECT_TRUE(file.boolean("tied"));
  EXPECT_EQ(file.fraction("beta"), 1.0);
  EXPECT_EQ(file.object("adam").integer("step"), 3);
  EXPECT_THAT(file.integers("grids"), ElementsAre(4, 1, 32));
  EXPECT_THAT(file.strings("tags"), ElementsAre("a", "b"));
  EXPECT_EQ(file.objects("runs")[1].integer("n"), 2);
  EXPECT_NO_THROW(file.finish());
}

TEST(JsonReader, TakesDefaultsOnlyWhereKeysAreMissing) {
  JsonObject file = parse_json(R"({"heads": 16})", "f");
  EXPECT_EQ(file.positive_integer("heads", 1), 16);
  EXPECT_EQ(file.positive_integer("layers", 12), 12);
  EXPECT_EQ(file.positive_number("rate", 0.5), 0.5);
  EXPECT_EQ(file.string("dtype", "bf16"), "bf16");
  EXPECT_FALSE(file.boolean("tied", false));
}

TEST(JsonReader, RefusesUnknownKeysNamingTheNearest) {
  JsonObject file = parse_json(R"({"layers": 2, "hiden": 64})", "gpt.json");
  file.integer("layers");
  file.positive_integer("hidden", 32);
  EXPECT_THAT([&] { file.finish(); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("gpt.json"), HasSubstr("\"hiden\""),
                                               HasSubstr("did you mean \"hidden\""))));
}

TEST(JsonReader, SaysWhichKeyIsMissingAndWhichMayBeMeant) {
  JsonObject file = parse_json(R"({"adam": {"stp": 1}})", "f.json");
  JsonObject adam = file.object("adam");
  EXPECT_THAT(
      [&] { adam.integer("step"); },
      ThrowsMessage<ConfigError>("f.json: adam: step: missing; is \"stp\" a misspelling of it?"));
  EXPECT_THAT([&] { file.integer("layers"); },
              ThrowsMessage<ConfigError>("f.json: layers: missing"));
}

TEST(JsonReader, RefusesWrongTypesAndRanges) {
  JsonObject file = parse_json(R"({"s": "x", "half": 1.5, "zero": 0, "less": -1, "huge": 1e300,
      "big": 18446744073709551615, "list": [1, "x"]})",
                               "f");
  EXPECT_THAT([&] { file.integer("s"); },
              ThrowsMessage<ConfigError>(HasSubstr("f: s: must be a whole number")));
  EXPECT_THAT([&] { file.integer("half"); },
              ThrowsMessage<ConfigError>(HasSubstr("f: half: 1.5 is not a whole")));
  EXPECT_THAT([&] { file.integer("huge"); }, ThrowsMessage<ConfigError>(HasSubstr("fits 64 bits")));
  EXPECT_THAT([&] { file.integer("big"); }, ThrowsMessage<ConfigError>(HasSubstr("fits 64 bits")));
  EXPECT_THAT([&] { file.positive_integer("zero"); },
              ThrowsMessage<ConfigError>("f: zero: 0 must be a positive whole number"));
  EXPECT_THAT([&] { file.positive_number("zero"); },
              ThrowsMessage<ConfigError>("f: zero: 0 must be positive"));
  EXPECT_THAT([&] { file.non_negative_number("less"); },
              ThrowsMessage<ConfigError>("f: less: -1 must not be negative"));
  EXPECT_THAT([&] { file.fraction("half"); },
              ThrowsMessage<ConfigError>("f: half: 1.5 must lie between 0 and 1"));
  EXPECT_THAT([&] { file.number("s"); }, ThrowsMessage<ConfigError>(HasSubstr("must be a number")));
  EXPECT_THAT([&] { file.string("zero"); },
              ThrowsMessage<ConfigError>(HasSubstr("must be a string")));
  EXPECT_THAT([&] { file.boolean("zero"); },
              ThrowsMessage<ConfigError>(HasSubstr("must be true or false")));
  EXPECT_THAT([&] { file.object("zero"); },
              ThrowsMessage<ConfigError>(HasSubstr("f: zero: must be a JSON object")));
  EXPECT_THAT([&] { file.strings("zero"); },
              ThrowsMessage<ConfigError>(HasSubstr("must be an array")));
  EXPECT_THAT([&] { file.integers("list"); },
              ThrowsMessage<ConfigError>(HasSubstr("f: list[1]: must be a whole")));
}

TEST(JsonReader, ReportsMalformedTextWithLineAndColumn) {
  EXPECT_THAT([] { parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}", "f.json"); },
              ThrowsMessage<ConfigError>(HasSubstr("f.json: malformed JSON at line 3, column 7")));
  EXPECT_THAT(
      [] { parse_json("{\"a\": [1, 2", "f.json"); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("line 1, column 12"), HasSubstr("end of input"))));
  EXPECT_THAT([] { parse_json("{\"a\": NaN}", "f"); },
              ThrowsMessage<ConfigError>(HasSubstr("line 1, column 7")));
  EXPECT_THAT([] { parse_json("{\"a\": 1e999}", "f"); },
              ThrowsMessage<ConfigError>(HasSubstr("f: number overflow")));
  EXPECT_THAT([] { parse_json("[1]", "f"); },
              ThrowsMessage<ConfigError>(HasSubstr("f: must be a JSON object")));
}

TEST(JsonReader, RefusesKeysThatOccurTwice) {
  EXPECT_THAT([] { parse_json(R"({"a": {"b": 1}, "b": 2, "a": 3})", "f"); },
              ThrowsMessage<ConfigError>(HasSubstr("key \"a\" occurs twice")));
}

TEST(JsonReader, NamesAFileThatCannotBeRead) {
  EXPECT_THAT([] { read_json("/nonexistent/gpt.json"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot read \"/nonexistent/gpt.json\"")));
  EXPECT_THAT([] { read_json(testing::TempDir()); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot read")));
}

}  // namespace
}  // namespace fourfold
