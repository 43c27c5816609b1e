#include "real/mpi/member_check.hpp"

#include <utility>

#include "real/mpi/check.hpp"
#include "real/mpi/tags.hpp"

namespace fourfold::real {
namespace {

/// Every message has this length; longer places lose their end.
constexpr std::size_t kLength = 256;

std::string packed(const Issued& issued) {
  std::string message = issued.what + '\n' + issued.place;
  message.resize(kLength);
  return message;
}

Issued unpacked(int rank, const std::string& message) {
  const std::size_t end_of_what = message.find('\n');
  return {rank, message.substr(0, end_of_what), message.substr(end_of_what + 1).c_str()};
}

std::byte* bytes_of(std::string& message) {
  return reinterpret_cast<std::byte*>(message.data());
}

}  // namespace

MemberCheck::MemberCheck(MPI_Comm world, Stream stream, ProcessGroup group, Issued mine)
    : mine_(std::move(mine)),
      transfers_(world, check_tag(stream), std::move(group)),
      messages_(transfers_.group().ranks.size(), packed(mine_)) {}

void MemberCheck::start() {
  std::string& mine = messages_[static_cast<std::size_t>(transfers_.group().index)];
  transfers_.for_others([&](int member) {
    transfers_.send(member, bytes_of(mine), kLength);
    transfers_.receive(member, bytes_of(messages_[static_cast<std::size_t>(member)]), kLength);
  });
}

bool MemberCheck::done() {
  if (!transfers_.done()) return false;
  transfers_.for_others([&](int member) {
    const auto place = static_cast<std::size_t>(member);
    const Issued theirs = unpacked(transfers_.group().ranks[place], messages_[place]);
    if (theirs.what != mine_.what) throw_mismatch(mine_, theirs);
  });
  return true;
}

std::vector<Issued> unanswered(MPI_Comm world) {
  std::vector<Issued> found;
  for (Stream stream : kAllStreams) {
    const int tag = check_tag(stream);
    while (true) {
      int waiting = 0;
      MPI_Status status;
      check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, world, &waiting, &status), "MPI_Iprobe");
      if (waiting == 0) break;
      std::string message(kLength, '\0');
      check_mpi(MPI_Recv(message.data(), kLength, MPI_BYTE, status.MPI_SOURCE, tag, world,
                         MPI_STATUS_IGNORE),
                "MPI_Recv");
      found.push_back(unpacked(status.MPI_SOURCE, message));
    }
  }
  return found;
}

}  // namespace fourfold::real
