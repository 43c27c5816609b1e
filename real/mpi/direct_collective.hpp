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

#include <optional>
#include <string>

#include "core/backend/collective.hpp"
#include "core/grid/process_group.hpp"
#include "real/cpu/device.hpp"
#include "real/mpi/member_check.hpp"
#include "real/mpi/transfers.hpp"

namespace fourfold::real {

class DirectCollective final : public AsyncWork {
 public:
  /// Keeps the memory of the operands alive. Begins with `check`, if there is one.
  DirectCollective(const Collective& collective, Transfers transfers, cpu::CpuEngine engine,
                   Issued issued, std::optional<MemberCheck> check);

  void start() override;
  /// Throws what the check throws.
  bool advance() override;
  std::string describe() const override;

 private:
  enum class Step { check, reduce, gather, finished };

  Step first_step() const;
  void begin(Step step);
  bool messages_done();
  /// What follows when all messages of the present step have arrived.
  void complete_step();

  void send_parts_to_reduce();
  void add_parts();
  void send_whole_to_reduce();
  void gather_parts();
  void send_from_first();

  bool reduces_whole() const;
  /// Bytes of a member's part of the full buffer, and where it begins. Parts of an all_reduce are of equal size but for
  /// the last ones.
  Bytes part_begin(int member) const;
  Bytes part_bytes(int member) const { return part_begin(member + 1) - part_begin(member); }

  Collective collective_;
  ProcessGroup group_;
  Transfers transfers_;
  cpu::CpuEngine engine_;
  Issued issued_;
  std::optional<MemberCheck> check_;
  Bytes full_bytes_;
  Step step_ = Step::finished;
  cpu::Block received_;  ///< the others' contributions to my part, by member
};

}  // namespace fourfold::real
