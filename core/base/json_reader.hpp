#pragma once
// Strict reading of JSON input files: models, GPUs, libraries, sweeps.
//
// Every error is a ConfigError "FILE: KEY: what was wrong; remedy". Keys that the program never
// asks for are errors too, so that a misspelt optional key cannot be ignored silently:
//
//     JsonObject file = read_json("gpt.json");
//     const std::int64_t layers = file.positive_integer("layers");
//     const bool tied = file.boolean("tied", true);  // optional, with its default
//     JsonObject optimizer = file.object("optimizer");
//     const double beta1 = optimizer.fraction("beta1");
//     optimizer.finish();
//     file.finish();  // refuses every key not asked for above
//
// The keys "source" and "comment" (strings) are allowed in every object: where a number comes from
// belongs beside it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace fourfold {

/// One JSON object, and the place it has in its file.
class JsonObject {
 public:
  /// `place` names the file and, for nested objects, the keys that lead here; it starts every
  /// message.
  JsonObject(nlohmann::json object, std::string place);

  const std::string& place() const { return place_; }
  bool has(const std::string& key);
  /// The keys that are present, in alphabetical order; for objects whose keys are names.
  std::vector<std::string> keys() const;

  std::string string(const std::string& key);
  std::string string(const std::string& key, const std::string& otherwise);
  bool boolean(const std::string& key);
  bool boolean(const std::string& key, bool otherwise);

  /// A whole number; 1e6 and 2.0 count as whole.
  std::int64_t integer(const std::string& key);
  std::int64_t positive_integer(const std::string& key);
  std::int64_t positive_integer(const std::string& key, std::int64_t otherwise);
  /// A positive whole number that fits an int.
  int count(const std::string& key);

  /// A finite number.
  double number(const std::string& key);
  double positive_number(const std::string& key);
  double positive_number(const std::string& key, double otherwise);
  double non_negative_number(const std::string& key);
  double non_negative_number(const std::string& key, double otherwise);
  /// A number in [0, 1].
  double fraction(const std::string& key);
  double fraction(const std::string& key, double otherwise);
  /// A number in (0, 1].
  double positive_fraction(const std::string& key);

  JsonObject object(const std::string& key);
  /// The members of an array of objects, with places such as "FILE: runs[3]".
  std::vector<JsonObject> objects(const std::string& key);
  std::vector<std::string> strings(const std::string& key);
  std::vector<std::int64_t> integers(const std::string& key);

  /// Refuses keys that were never asked for, naming the nearest one that was.
  void finish() const;
  /// Throws ConfigError "PLACE: KEY: PROBLEM".
  [[noreturn]] void fail(const std::string& key, std::string_view problem) const;

 private:
  const nlohmann::json& at(const std::string& key);

  nlohmann::json object_;
  std::string place_;
  std::vector<std::string> asked_;
};

/// The object in `text`; `name` stands for the file in messages. Malformed or truncated text is
/// reported with line and column; so are keys that occur twice and numbers too large for a double.
JsonObject parse_json(std::string_view text, const std::string& name);

/// The object in a file. Throws ConfigError also when the file cannot be read.
JsonObject read_json(const std::filesystem::path& file);

}  // namespace fourfold
