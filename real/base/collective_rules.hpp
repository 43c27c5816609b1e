#pragma once
// What every backend checks and says about collectives.

#include <string>
#include <string_view>

#include "core/backend/collective.hpp"

namespace fourfold::real {

/// True for all_reduce and reduce_scatter.
bool reduces(CollectiveKind kind);

/// Throws ShapeError unless input and output have one type and the sizes that core/backend/collective.hpp states for a
/// group of `members` ranks.
void check_operands(const Collective& collective, int members);

/// "all_reduce (sum) of 12 float32 over x": equal for all members of a group, or they do not match.
std::string describe(const Collective& collective);

/// What a member of a group issued, and the range of its program in which it did.
struct Issued {
  int rank = 0;
  std::string what, place;
};

/// Throws BackendError naming both ranks and what each wanted.
[[noreturn]] void throw_mismatch(const Issued& one, const Issued& other);

}  // namespace fourfold::real
