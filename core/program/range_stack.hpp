#pragma once
// The open ranges of a program ("forward", "block 3", "mlp"), innermost last.

#include <string>
#include <string_view>
#include <vector>

namespace fourfold {

class RangeStack {
 public:
  void push(std::string_view name) {
    std::string full = full_names_.empty() ? "" : full_names_.back() + "/";
    full_names_.push_back(full.append(name));
  }
  void pop() { full_names_.pop_back(); }

  /// "forward/block 3/mlp"; empty outside of all ranges.
  std::string name() const { return full_names_.empty() ? "" : full_names_.back(); }
  /// The same for error messages and the memory report: "set-up" outside of all ranges.
  std::string place() const { return full_names_.empty() ? "set-up" : full_names_.back(); }

 private:
  std::vector<std::string> full_names_;
};

}  // namespace fourfold
