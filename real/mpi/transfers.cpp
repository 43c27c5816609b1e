#include "real/mpi/transfers.hpp"

#include <algorithm>

#include "real/mpi/check.hpp"

namespace fourfold::real {
namespace {

/// MPI counts in int; longer messages travel in pieces.
constexpr Bytes kLongestMessage = Bytes{1} << 30;
constexpr int kThisRank = -1;

template <typename Post>
void in_pieces(Bytes bytes, Post post) {
  for (Bytes at = 0; at < bytes; at += kLongestMessage)
    post(at, static_cast<int>(std::min(kLongestMessage, bytes - at)));
}

}  // namespace

void Transfers::send(int member, const std::byte* data, Bytes bytes) {
  in_pieces(bytes, [&](Bytes at, int count) {
    senders_.push_back(kThisRank);
    check_mpi(MPI_Isend(data + at, count, MPI_BYTE, rank_of(member), tag_, world_,
                        &requests_.emplace_back()),
              "MPI_Isend");
  });
}

void Transfers::receive(int member, std::byte* data, Bytes bytes) {
  in_pieces(bytes, [&](Bytes at, int count) {
    senders_.push_back(rank_of(member));
    check_mpi(MPI_Irecv(data + at, count, MPI_BYTE, rank_of(member), tag_, world_,
                        &requests_.emplace_back()),
              "MPI_Irecv");
  });
}

bool Transfers::done() {
  if (requests_.empty()) return true;
  int all = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  if (all == 0) return false;
  requests_.clear();
  senders_.clear();
  return true;
}

std::vector<int> Transfers::silent() const {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    int arrived = 0;
    check_mpi(MPI_Request_get_status(requests_[i], &arrived, MPI_STATUS_IGNORE),
              "MPI_Request_get_status");
    const bool is_new = ranks.empty() || ranks.back() != senders_[i];  // pieces come in a row
    if (arrived == 0 && senders_[i] != kThisRank && is_new) ranks.push_back(senders_[i]);
  }
  return ranks;
}

}  // namespace fourfold::real
