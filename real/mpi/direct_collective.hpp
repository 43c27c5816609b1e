#pragma once
// A collective as steps of direct messages: every member sends what each other member needs straight to it.
//
//   all_gather      one step: my shard to all
//   broadcast       one step: the first member to all
//   reduce_scatter  one step: part i of my input to member i, which adds up what it got
//   all_reduce      reduce_scatter, then all_gather of the parts; small ones in one step, everything to all
//
// Each sends (p - 1)/p of the full buffer per step, as a ring does, but has 1 or 2 steps to be advanced through instead
// of p - 1: fewer moments at which a rank that is busy computing holds up the others. Sums are formed in group order
// with one rounding at the end, hence bit for bit the same on all members and in all runs.

#include <string>
#include <vector>

#include "core/backend/collective.hpp"
#include "core/grid/process_group.hpp"
#include "real/cpu/device.hpp"
#include "real/mpi/transfers.hpp"

namespace fourfold::real {

class DirectCollective final : public AsyncWork {
 public:
  struct Options {
    bool check_signatures = false;  ///< members first tell each other what they are about to do
    std::string place;              ///< the range in which it was issued
  };
  /// Keeps the memory of the operands alive.
  DirectCollective(const Collective& collective, const ProcessGroup& group, Transfers transfers,
                   cpu::CpuEngine engine, Options options);

  void start() override;
  /// Throws BackendError naming both sides if another member issued a different collective (when checked).
  bool advance() override;
  std::string describe() const override;

 private:
  enum class Step { exchange_signatures, reduce, gather, finished };

  void begin(Step step);
  /// What follows when all messages of the present step have arrived.
  void complete_step();

  void send_signatures();
  void compare_signatures() const;
  std::string signature() const;

  void send_parts_to_reduce();
  void add_parts();
  void send_whole_to_reduce();
  void gather_parts();
  void send_from_first();

  bool reduces() const;
  bool reduces_whole() const;
  /// Bytes of a member's part of the full buffer, and where it begins. Parts of an all_reduce are of equal size but for
  /// the last ones.
  Bytes part_begin(int member) const;
  Bytes part_bytes(int member) const { return part_begin(member + 1) - part_begin(member); }
  template <typename Body>
  void for_others(Body body) const;

  Collective collective_;
  ProcessGroup group_;
  Transfers transfers_;
  cpu::CpuEngine engine_;
  Options options_;
  Bytes full_bytes_;
  Step step_ = Step::finished;
  cpu::Block received_;                  ///< the others' contributions to my part, by member
  std::vector<std::string> signatures_;  ///< by member
};

}  // namespace fourfold::real
