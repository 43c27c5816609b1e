#include "real/mpi/transfers.hpp"

#include <algorithm>

#include "real/mpi/check.hpp"

namespace fourfold::real {
namespace {

/// MPI counts in int; longer messages travel in pieces.
constexpr Bytes kLongestMessage = Bytes{1} << 30;

template <typename Post>
void in_pieces(Bytes bytes, Post post) {
  for (Bytes at = 0; at < bytes; at += kLongestMessage)
    post(at, static_cast<int>(std::min(kLongestMessage, bytes - at)));
}

}  // namespace

void Transfers::send(int member, const std::byte* data, Bytes bytes) {
  const int rank = ranks_[static_cast<std::size_t>(member)];
  in_pieces(bytes, [&](Bytes at, int count) {
    check_mpi(MPI_Isend(data + at, count, MPI_BYTE, rank, tag_, world_, &requests_.emplace_back()),
              "MPI_Isend");
  });
}

void Transfers::receive(int member, std::byte* data, Bytes bytes) {
  const int rank = ranks_[static_cast<std::size_t>(member)];
  in_pieces(bytes, [&](Bytes at, int count) {
    check_mpi(MPI_Irecv(data + at, count, MPI_BYTE, rank, tag_, world_, &requests_.emplace_back()),
              "MPI_Irecv");
  });
}

bool Transfers::done() {
  if (requests_.empty()) return true;
  int all = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  if (all != 0) requests_.clear();
  return all != 0;
}

}  // namespace fourfold::real
