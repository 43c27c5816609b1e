#pragma once
// How long messages between pairs take: send_recv and all_to_all on idle links, with NCCL's or
// RCCL's constants.
//
//     send_recv    latency + S / (pair efficiency x link)
//                    S bytes from each rank to the next
//     all_to_all   latency + hypot((p - 1) x peer latency, the longer of)
//                    in the node    (k-1)/p S / (efficiency x port)
//                    between nodes  k (p-k)/p S / (efficiency x NICs), what the node sends out
//                    S bytes a rank, S/p to each of p ranks; k ranks of the group on a node
//
// A library posts the messages of an all_to_all one after the other, hence the latency of each
// peer; as in rings it hides behind the transfer of the messages before.

#include "core/cost/collective_model.hpp"

namespace fourfold {

class ExchangeModel {
 public:
  /// Throws ConfigError where the library has no such constants.
  ExchangeModel(const LibraryConstants& library, const NodeLinks& links);

  Seconds send_recv(Bytes bytes, const GroupPlacement& group) const;
  /// `bytes`: what a rank sends to all ranks together, itself included.
  Seconds all_to_all(Bytes bytes, const GroupPlacement& group) const;

 private:
  /// Between neighbours on a node.
  BytesPerSecond pair_bandwidth() const;
  BytesPerSecond nics_bandwidth(const GroupPlacement& group) const;

  ExchangeConstants constants_;
  NodeLinks links_;
};

}  // namespace fourfold
