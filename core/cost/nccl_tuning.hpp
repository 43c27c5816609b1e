#pragma once
// NCCL's own cost model, by which it chooses algorithm and protocol (NVIDIA/nccl 2.21.5, src/graph/tuning.cc). It knows
// nothing of the real NIC, so its times are not predictions: on Slingshot they are two to three times too short. For
// faithful choices it is followed to the letter, oddities included.
//
//     time = latency + bytes / bandwidth        bytes: the full buffer
//
// Rings and trees with the protocols LL, LL128 and Simple; NVLS, CollNet and fewer channels for small messages are left
// out.

#include <array>
#include <string_view>

#include "core/backend/collective.hpp"

namespace fourfold {

enum class NcclArchitecture : std::uint8_t { volta, ampere, hopper, blackwell };
enum class NcclAlgorithm : std::uint8_t { ring, tree };
enum class NcclProtocol : std::uint8_t { ll, ll128, simple };
/// As NCCL prints it.
std::string_view name_of(NcclProtocol protocol);

/// "volta", "ampere", "hopper" or "blackwell". Throws ConfigError.
NcclArchitecture parse_nccl_architecture(std::string_view text);

/// A communicator as NCCL's graph search leaves it. Bandwidths are of one channel in GB/s.
struct NcclCommunicator {
  int ranks = 1, nodes = 1;
  int channels = 1;
  double node_bandwidth_GBps = 20, network_bandwidth_GBps = 24;
  NcclArchitecture architecture = NcclArchitecture::ampere;
  bool amd_host = false;
  bool ll128 = false;  ///< allowed; on Slingshot it is not
};

/// In microseconds, NCCL's unit.
double nccl_latency_us(const NcclCommunicator& communicator, CollectiveKind kind,
                       NcclAlgorithm algorithm, NcclProtocol protocol);
/// In GB/s of the full buffer, 0 where the combination does not exist.
double nccl_bandwidth_GBps(const NcclCommunicator& communicator, CollectiveKind kind,
                           NcclAlgorithm algorithm, NcclProtocol protocol);
/// Corrections for the message size included; infinite where the combination does not exist.
double nccl_time_us(const NcclCommunicator& communicator, CollectiveKind kind,
                    NcclAlgorithm algorithm, NcclProtocol protocol, Bytes full_bytes);

struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;

  friend bool operator==(const NcclChoice&, const NcclChoice&) = default;
};
/// The combination with the shortest time.
NcclChoice nccl_choice(const NcclCommunicator& communicator, CollectiveKind kind, Bytes full_bytes);

}  // namespace fourfold
