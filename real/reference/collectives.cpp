#include "real/reference/collectives.hpp"

#include <algorithm>

#include "real/reference/array.hpp"

namespace fourfold::real {
namespace {

Array reduced(std::span<const Collective> members) {
  Array result = load_flat(members.front().input);
  for (const Collective& member : members.subspan(1)) {
    const Array term = load_flat(member.input);
    for (std::size_t i = 0; i < result.values().size(); ++i) {
      double& value = result.values()[i];
      value = member.reduction == Reduction::sum ? value + term.values()[i]
                                                 : std::max(value, term.values()[i]);
    }
  }
  return result;
}

Array gathered(std::span<const Collective> members) {
  Array result({members.front().output.elements()});
  auto position = result.values().begin();
  for (const Collective& member : members) {
    const Array shard = load_flat(member.input);
    position = std::copy(shard.values().begin(), shard.values().end(), position);
  }
  return result;
}

void scatter(const Array& whole, std::span<const Collective> members) {
  auto position = whole.values().begin();
  for (const Collective& member : members) {
    Array part({member.output.elements()});
    std::copy_n(position, part.values().size(), part.values().begin());
    position += member.output.elements();
    store(part, member.output, "output");
  }
}

void give_to_all(const Array& whole, std::span<const Collective> members) {
  for (const Collective& member : members) store(whole, member.output, "output");
}

}  // namespace

void run_collective(std::span<const Collective> members) {
  switch (members.front().kind) {
    case CollectiveKind::all_reduce:
      return give_to_all(reduced(members), members);
    case CollectiveKind::all_gather:
      return give_to_all(gathered(members), members);
    case CollectiveKind::reduce_scatter:
      return scatter(reduced(members), members);
    case CollectiveKind::broadcast:
      return give_to_all(load_flat(members.front().input), members);
  }
}

}  // namespace fourfold::real
