#include "core/base/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold {
namespace {

using nlohmann::json;

/// Whole numbers up to here are exact in a double.
constexpr double kLargestWholeDouble = 9007199254740992.0;

bool is_whole(const json& value) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
  }
  if (value.is_number_integer()) return true;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();
  return number == std::floor(number) && std::abs(number) <= kLargestWholeDouble;
}

std::int64_t to_integer(const JsonObject& object, const std::string& key, const json& value) {
  if (!value.is_number()) {
    object.fail(key, fmt::format("must be a whole number, not {}", value.dump()));
  }
  if (!is_whole(value)) {
    object.fail(key, fmt::format("{} is not a whole number that fits 64 bits", value.dump()));
  }
  return value.is_number_float() ? static_cast<std::int64_t>(value.get<double>())
                                 : value.get<std::int64_t>();
}

std::string to_string(const JsonObject& object, const std::string& key, const json& value) {
  if (!value.is_string()) object.fail(key, fmt::format("must be a string, not {}", value.dump()));
  return value.get<std::string>();
}

const json& require_array(const JsonObject& object, const std::string& key, const json& value) {
  if (!value.is_array()) object.fail(key, fmt::format("must be an array, not {}", value.dump()));
  return value;
}

std::string member(const std::string& key, std::size_t index) {
  return fmt::format("{}[{}]", key, index);
}

/// Line and column, both from 1, of a byte of the text.
std::pair<std::size_t, std::size_t> line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return {line, column};
}

/// The part of a nlohmann-json message that concerns the user: without exception id and repeated
/// position.
std::string explanation(const json::exception& error) {
  const std::string message = error.what();
  const std::size_t start = message.rfind("] ");
  const std::size_t position = message.find(": ", message.find("column"));
  if (message.find("column") != std::string::npos && position != std::string::npos) {
    return message.substr(position + 2);
  }
  return start == std::string::npos ? message : message.substr(start + 2);
}

/// Refuses a key that occurs twice in one object; nlohmann-json would keep the last one.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(std::string name) : name_(std::move(name)) {}

  bool operator()(int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_objects_.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects_.pop_back();
    if (event == json::parse_event_t::key) {
      const auto key = parsed.get<std::string>();
      if (!open_objects_.back().insert(key).second) {
        throw ConfigError(fmt::format("{}: key \"{}\" occurs twice; remove one", name_, key));
      }
    }
    return true;
  }

 private:
  std::string name_;
  std::vector<std::set<std::string>> open_objects_;
};

}  // namespace

JsonObject::JsonObject(json object, std::string place)
    : object_(std::move(object)), place_(std::move(place)), asked_{"source", "comment"} {
  if (!object_.is_object()) {
    throw ConfigError(fmt::format("{}: must be a JSON object {{...}}", place_));
  }
}

void JsonObject::fail(const std::string& key, std::string_view problem) const {
  throw ConfigError(fmt::format("{}: {}: {}", place_, key, problem));
}

bool JsonObject::has(const std::string& key) {
  asked_.push_back(key);
  return object_.contains(key);
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> names;
  for (const auto& item : object_.items()) names.push_back(item.key());
  return names;
}

const json& JsonObject::at(const std::string& key) {
  if (has(key)) return object_.at(key);
  // A misspelt key is the likely cause: one that is present, was not asked for, and is near.
  const std::string nearest = nearest_name(key, keys());
  const bool misspelt = !nearest.empty() && std::ranges::find(asked_, nearest) == asked_.end();
  fail(key, misspelt ? fmt::format("missing; is \"{}\" a misspelling of it?", nearest) : "missing");
}

std::string JsonObject::string(const std::string& key) {
  return to_string(*this, key, at(key));
}
std::string JsonObject::string(const std::string& key, const std::string& otherwise) {
  return has(key) ? string(key) : otherwise;
}

bool JsonObject::boolean(const std::string& key) {
  const json& value = at(key);
  if (!value.is_boolean()) fail(key, fmt::format("must be true or false, not {}", value.dump()));
  return value.get<bool>();
}
bool JsonObject::boolean(const std::string& key, bool otherwise) {
  return has(key) ? boolean(key) : otherwise;
}

std::int64_t JsonObject::integer(const std::string& key) {
  return to_integer(*this, key, at(key));
}
std::int64_t JsonObject::positive_integer(const std::string& key) {
  const std::int64_t value = integer(key);
  if (value <= 0) fail(key, fmt::format("{} must be a positive whole number", value));
  return value;
}
std::int64_t JsonObject::positive_integer(const std::string& key, std::int64_t otherwise) {
  return has(key) ? positive_integer(key) : otherwise;
}

int JsonObject::count(const std::string& key) {
  const std::int64_t value = positive_integer(key);
  if (value > std::numeric_limits<int>::max()) fail(key, fmt::format("{} is too large", value));
  return static_cast<int>(value);
}

double JsonObject::number(const std::string& key) {
  const json& value = at(key);
  if (!value.is_number()) fail(key, fmt::format("must be a number, not {}", value.dump()));
  const double number = value.get<double>();
  if (!std::isfinite(number)) fail(key, "must be finite");
  return number;
}
double JsonObject::positive_number(const std::string& key) {
  const double value = number(key);
  if (value <= 0) fail(key, fmt::format("{} must be positive", value));
  return value;
}
double JsonObject::positive_number(const std::string& key, double otherwise) {
  return has(key) ? positive_number(key) : otherwise;
}
double JsonObject::non_negative_number(const std::string& key) {
  const double value = number(key);
  if (value < 0) fail(key, fmt::format("{} must not be negative", value));
  return value;
}
double JsonObject::non_negative_number(const std::string& key, double otherwise) {
  return has(key) ? non_negative_number(key) : otherwise;
}
double JsonObject::fraction(const std::string& key) {
  const double value = number(key);
  if (value < 0 || value > 1) fail(key, fmt::format("{} must lie between 0 and 1", value));
  return value;
}
double JsonObject::fraction(const std::string& key, double otherwise) {
  return has(key) ? fraction(key) : otherwise;
}

double JsonObject::positive_fraction(const std::string& key) {
  const double value = fraction(key);
  if (value == 0) fail(key, "0 must be greater than 0");
  return value;
}

JsonObject JsonObject::object(const std::string& key) {
  return JsonObject(at(key), fmt::format("{}: {}", place_, key));
}

std::vector<JsonObject> JsonObject::objects(const std::string& key) {
  std::vector<JsonObject> result;
  for (const json& value : require_array(*this, key, at(key))) {
    result.emplace_back(value, fmt::format("{}: {}", place_, member(key, result.size())));
  }
  return result;
}

std::vector<std::string> JsonObject::strings(const std::string& key) {
  std::vector<std::string> result;
  for (const json& value : require_array(*this, key, at(key))) {
    result.push_back(to_string(*this, member(key, result.size()), value));
  }
  return result;
}

std::vector<std::int64_t> JsonObject::integers(const std::string& key) {
  std::vector<std::int64_t> result;
  for (const json& value : require_array(*this, key, at(key))) {
    result.push_back(to_integer(*this, member(key, result.size()), value));
  }
  return result;
}

void JsonObject::finish() const {
  for (const std::string& key : keys()) {
    if (std::ranges::find(asked_, key) == asked_.end()) {
      throw ConfigError(fmt::format("{}: {}", place_, unknown_name_message("key", key, asked_)));
    }
  }
}

JsonObject parse_json(std::string_view text, const std::string& name) {
  try {
    return JsonObject(json::parse(text, DuplicateKeys(name)), name);
  } catch (const json::parse_error& error) {
    const auto [line, column] = line_and_column(text, error.byte > 0 ? error.byte - 1 : 0);
    throw ConfigError(fmt::format("{}: malformed JSON at line {}, column {}: {}", name, line,
                                  column, explanation(error)));
  } catch (const json::exception& error) {
    throw ConfigError(fmt::format("{}: {}", name, explanation(error)));
  }
}

JsonObject read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!std::filesystem::is_regular_file(file) || !stream || !(text << stream.rdbuf())) {
    throw ConfigError(
        fmt::format("cannot read \"{}\"; check that the file exists, is not empty and is readable",
                    file.string()));
  }
  return parse_json(text.str(), file.string());
}

}  // namespace fourfold
