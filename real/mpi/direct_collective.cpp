#include "real/mpi/direct_collective.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/math.hpp"
#include "real/cpu/reduce.hpp"

namespace fourfold::real {
namespace {

/// Up to this size an all_reduce takes one step instead of two: latency counts more than bytes.
constexpr Bytes kSmall = 16384;

std::byte* first_byte(const Tensor& tensor) {
  return tensor.storage->data() + tensor.offset * size_of(tensor.dtype);
}

/// Copies unless both are the same memory.
void copy_bytes(const std::byte* from, std::byte* to, Bytes bytes) {
  if (from != to) std::memmove(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

DirectCollective::DirectCollective(const Collective& collective, Transfers transfers,
                                   cpu::CpuEngine engine, Issued issued,
                                   std::optional<MemberCheck> check)
    : collective_(collective),
      group_(transfers.group()),
      transfers_(std::move(transfers)),
      engine_(engine),
      issued_(std::move(issued)),
      check_(std::move(check)),
      full_bytes_(full_bytes(collective)) {
  collective_.input = CpuDevice::held(collective.input);
  collective_.output = CpuDevice::held(collective.output);
}

void DirectCollective::start() {
  begin(check_ ? Step::check : first_step());
}

bool DirectCollective::advance() {
  while (step_ != Step::finished && messages_done()) complete_step();
  return step_ == Step::finished;
}

std::string DirectCollective::describe() const {
  std::string text = fmt::format("{} among ranks {}, issued by rank {} in {}", issued_.what,
                                 fmt::join(group_.ranks, " "), issued_.rank, issued_.place);
  const std::vector<int> silent = step_ == Step::check ? check_->silent() : transfers_.silent();
  if (!silent.empty()) text += fmt::format(", without word from rank {}", fmt::join(silent, ", "));
  if (!check_) return text;
  for (const Issued& other : unanswered(transfers_.world())) {
    text += fmt::format(", while rank {} waits for this one in {} ({})", other.rank, other.what,
                        other.place);
  }
  return text;
}

DirectCollective::Step DirectCollective::first_step() const {
  return reduces(collective_.kind) ? Step::reduce : Step::gather;
}

void DirectCollective::begin(Step step) {
  step_ = step;
  switch (step) {
    case Step::check:
      return check_->start();
    case Step::reduce:
      return reduces_whole() ? send_whole_to_reduce() : send_parts_to_reduce();
    case Step::gather:
      return collective_.kind == CollectiveKind::broadcast ? send_from_first() : gather_parts();
    case Step::finished:
      return;
  }
}

bool DirectCollective::messages_done() {
  return step_ == Step::check ? check_->done() : transfers_.done();
}

void DirectCollective::complete_step() {
  switch (step_) {
    case Step::check:
      return begin(first_step());
    case Step::reduce:
      add_parts();
      return begin(collective_.kind == CollectiveKind::all_reduce && !reduces_whole()
                       ? Step::gather
                       : Step::finished);
    case Step::gather:
    case Step::finished:
      return begin(Step::finished);
  }
}

void DirectCollective::send_parts_to_reduce() {
  const std::byte* input = first_byte(collective_.input);
  const Bytes mine = part_bytes(group_.index);
  received_ = engine_.cache.take(mine * group_.size());
  transfers_.for_others([&](int member) {
    transfers_.send(member, input + part_begin(member), part_bytes(member));
    transfers_.receive(member, received_.get() + member * mine, mine);
  });
}

void DirectCollective::send_whole_to_reduce() {
  received_ = engine_.cache.take(full_bytes_ * group_.size());
  transfers_.for_others([&](int member) {
    transfers_.send(member, first_byte(collective_.input), full_bytes_);
    transfers_.receive(member, received_.get() + member * full_bytes_, full_bytes_);
  });
}

void DirectCollective::add_parts() {
  const Bytes begin = reduces_whole() ? 0 : part_begin(group_.index);
  const Bytes bytes = reduces_whole() ? full_bytes_ : part_bytes(group_.index);
  std::vector<const std::byte*> members;
  for (int member = 0; member < group_.size(); ++member)
    members.push_back(received_.get() + member * bytes);
  members[static_cast<std::size_t>(group_.index)] = first_byte(collective_.input) + begin;
  const bool scatters = collective_.kind == CollectiveKind::reduce_scatter;
  const DType dtype = collective_.input.dtype;
  cpu::reduce_members(dtype, collective_.reduction, members, bytes / size_of(dtype),
                      first_byte(collective_.output) + (scatters ? 0 : begin), engine_);
  received_.reset();
}

void DirectCollective::gather_parts() {
  std::byte* output = first_byte(collective_.output);
  const std::byte* mine = output + part_begin(group_.index);
  if (collective_.kind == CollectiveKind::all_gather) {
    copy_bytes(first_byte(collective_.input), output + part_begin(group_.index),
               part_bytes(group_.index));
  }
  transfers_.for_others([&](int member) {
    transfers_.send(member, mine, part_bytes(group_.index));
    transfers_.receive(member, output + part_begin(member), part_bytes(member));
  });
}

void DirectCollective::send_from_first() {
  if (group_.index != 0) return transfers_.receive(0, first_byte(collective_.output), full_bytes_);
  copy_bytes(first_byte(collective_.input), first_byte(collective_.output), full_bytes_);
  transfers_.for_others(
      [&](int member) { transfers_.send(member, first_byte(collective_.input), full_bytes_); });
}

bool DirectCollective::reduces_whole() const {
  return collective_.kind == CollectiveKind::all_reduce && full_bytes_ <= kSmall;
}

Bytes DirectCollective::part_begin(int member) const {
  const Bytes element = size_of(collective_.input.dtype);
  const std::int64_t elements = full_bytes_ / element;
  return element * std::min(elements, ceil_div(elements, group_.size()) * member);
}

}  // namespace fourfold::real
