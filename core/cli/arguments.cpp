#include "core/cli/arguments.hpp"

#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold {
namespace {

namespace po = boost::program_options;

/// Long flags only, never abbreviated: a flag added later must not change what an old script means.
constexpr int kStyle = po::command_line_style::allow_long |
                       po::command_line_style::long_allow_adjacent |
                       po::command_line_style::long_allow_next;

std::vector<std::string> flags_of(const po::options_description& options,
                                  const std::string& positional) {
  std::vector<std::string> flags;
  for (const auto& option : options.options()) {
    if (option->long_name() != positional) flags.push_back("--" + option->long_name());
  }
  return flags;
}

po::variables_map parse(const po::options_description& options, const Words& words,
                        const std::string& positional) {
  po::positional_options_description places;
  if (!positional.empty()) places.add(positional.c_str(), 1);
  po::variables_map values;
  po::store(po::command_line_parser(words).options(options).positional(places).style(kStyle).run(),
            values);
  return values;
}

/// "--json --quiet" means a forgotten file name, not a file named "--quiet".
void check_values_present(const po::variables_map& values) {
  for (const auto& [flag, value] : values) {
    const auto* text = boost::any_cast<std::string>(&value.value());
    if (text != nullptr && text->starts_with("--")) {
      throw ConfigError(fmt::format("--{} needs a value before {}", flag, *text));
    }
  }
}

}  // namespace

Arguments::Arguments(const po::options_description& options, const Words& words,
                     const std::string& positional) {
  try {
    values_ = parse(options, words, positional);
  } catch (const po::unknown_option& error) {
    throw ConfigError(
        unknown_name_message("flag", error.get_option_name(), flags_of(options, positional)));
  } catch (const po::multiple_occurrences& error) {
    throw ConfigError(
        fmt::format("{} is given more than once; give it once", error.get_option_name()));
  } catch (const po::too_many_positional_options_error&) {
    throw ConfigError(
        fmt::format("unexpected word among \"{}\"; flags begin with --, --help lists them",
                    fmt::join(words, " ")));
  } catch (const po::error& error) {
    throw ConfigError(fmt::format("{}; --help lists the flags and their values", error.what()));
  }
  check_values_present(values_);
}

std::string Arguments::text(const std::string& flag) const {
  if (!has(flag)) throw ConfigError(fmt::format("--{} is missing; --help shows examples", flag));
  return values_[flag].as<std::string>();
}

std::string Arguments::text(const std::string& flag, const std::string& otherwise) const {
  return has(flag) ? text(flag) : otherwise;
}

std::int64_t Arguments::positive(const std::string& flag, std::int64_t largest) const {
  return parse_integer(flag, text(flag), 1, largest);
}

std::vector<std::string> Arguments::texts(const std::string& flag) const {
  if (!has(flag)) throw ConfigError(fmt::format("--{} is missing; --help shows examples", flag));
  std::vector<std::string> all;
  for (const std::string& word : values_[flag].as<std::vector<std::string>>()) {
    for (std::string& part : split_list(word)) all.push_back(std::move(part));
  }
  return all;
}

std::int64_t Arguments::integer(const std::string& flag, Bounds<std::int64_t> bounds,
                                std::int64_t otherwise) const {
  if (!has(flag)) return otherwise;
  return parse_integer(flag, text(flag), bounds.smallest, bounds.largest);
}

double Arguments::number(const std::string& flag, Bounds<double> bounds, double otherwise) const {
  return has(flag) ? parse_number(flag, text(flag), bounds) : otherwise;
}

std::int64_t parse_integer(std::string_view flag, std::string_view text, std::int64_t smallest,
                           std::int64_t largest) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || rest != end) {
    throw ConfigError(fmt::format("--{} {}: is not a whole number, such as 1024", flag, text));
  }
  if (error == std::errc::result_out_of_range || value < smallest || value > largest) {
    throw ConfigError(fmt::format("--{} {}: must be from {} to {}", flag, text, smallest, largest));
  }
  return value;
}

double parse_number(std::string_view flag, std::string_view text, Bounds<double> bounds) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) {
    throw ConfigError(fmt::format("--{} {}: is not a number, such as 3e-4", flag, text));
  }
  if (!(value >= bounds.smallest && value <= bounds.largest)) {
    throw ConfigError(
        fmt::format("--{} {}: must be from {} to {}", flag, text, bounds.smallest, bounds.largest));
  }
  return value;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace fourfold
