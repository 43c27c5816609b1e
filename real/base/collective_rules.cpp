#include "real/base/collective_rules.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

void check_operands(const Collective& collective, int members) {
  const bool gathers = collective.kind == CollectiveKind::all_gather;
  const bool scatters = collective.kind == CollectiveKind::reduce_scatter;
  const std::int64_t input = collective.input.elements() * (gathers ? members : 1);
  const std::int64_t output = collective.output.elements() * (scatters ? members : 1);
  if (input == output && collective.input.dtype == collective.output.dtype) return;
  throw ShapeError(fmt::format("{} among {} ranks cannot turn {}{} into {}{}",
                               name_of(collective.kind), members, name_of(collective.input.dtype),
                               to_string(collective.input.shape), name_of(collective.output.dtype),
                               to_string(collective.output.shape)));
}

std::string describe(const Collective& collective) {
  const char* reduction = !reduces(collective.kind)                ? ""
                          : collective.reduction == Reduction::sum ? " (sum)"
                                                                   : " (max)";
  return fmt::format("{}{} of {} {} over {}", name_of(collective.kind), reduction,
                     collective.input.elements(), name_of(collective.input.dtype),
                     name_of(collective.group));
}

void throw_mismatch(const Issued& one, const Issued& other) {
  throw BackendError(
      fmt::format("collectives do not match: rank {} issued {} ({}) while rank {} issued {} ({}); "
                  "all members of "
                  "a group must issue its collectives in the same order",
                  one.rank, one.what, one.place, other.rank, other.what, other.place));
}

}  // namespace fourfold::real
