#pragma once
// The flags of a command: Boost.Program_options does the parsing, this adds strict numbers and helpful messages.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options.hpp>

namespace fourfold {

/// What follows the command on the command line.
using Words = std::vector<std::string>;

/// Smallest and largest value allowed.
template <typename T>
struct Bounds {
  T smallest, largest;
};

class Arguments {
 public:
  /// Flags are `--name value` or `--name=value` and may not be abbreviated or repeated. At most one further word is
  /// taken where `positional` names the option that it is the value of. Throws ConfigError, for an unknown flag with
  /// the nearest known one.
  Arguments(const boost::program_options::options_description& options, const Words& words,
            const std::string& positional = "");

  bool has(const std::string& flag) const { return values_.count(flag) > 0; }

  // The value of a flag, which must be given unless there is an `otherwise`. All throw ConfigError naming the flag.

  std::string text(const std::string& flag) const;
  std::string text(const std::string& flag, const std::string& otherwise) const;

  /// The values of a flag that takes several words, each of which may be a comma-separated list.
  std::vector<std::string> texts(const std::string& flag) const;

  /// A whole number from 1 to `largest`.
  std::int64_t positive(const std::string& flag, std::int64_t largest = INT64_MAX) const;
  std::int64_t integer(const std::string& flag, Bounds<std::int64_t> bounds,
                       std::int64_t otherwise) const;

  double number(const std::string& flag, Bounds<double> bounds, double otherwise) const;

 private:
  boost::program_options::variables_map values_;
};

/// The whole number in `text`. Throws ConfigError naming `flag`.
std::int64_t parse_integer(std::string_view flag, std::string_view text, std::int64_t smallest,
                           std::int64_t largest);

/// The number in `text`. Throws ConfigError naming `flag`.
double parse_number(std::string_view flag, std::string_view text, Bounds<double> bounds);

/// The parts of a comma-separated list.
std::vector<std::string> split_list(const std::string& text);

}  // namespace fourfold
