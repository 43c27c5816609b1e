#pragma once
// Tables on the terminal: the first column to the left, numbers to the right, columns as wide as
// they need to be.

#include <cstdint>
#include <string>
#include <vector>

namespace fourfold::sim {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);
  /// A row may have fewer cells than the header.
  void add_row(std::vector<std::string> cells);
  /// Lines indented by two spaces, a rule below the header.
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// 16777216 -> "16,777,216".
std::string grouped(std::int64_t number);

}  // namespace fourfold::sim
