#pragma once
// Streams and events, with CUDA's rules and no more:
// operations on one stream run in issue order; streams are unordered except through events.

#include <array>
#include <cstdint>
#include <string_view>

#include "core/grid/axis.hpp"

namespace fourfold {

/// One queue for kernels, and one for every purpose of communication, so that independent collectives may overlap.
/// Gathers and scatters over z have streams (and communicators) of their own, as in AxoNN's Gordon Bell code.
enum class Stream : std::uint8_t { compute, comm_x, comm_y, comm_z_gather, comm_z_scatter, comm_data };
inline constexpr int kStreamCount = 6;
inline constexpr std::array<Stream, kStreamCount> kAllStreams = {
    Stream::compute, Stream::comm_x, Stream::comm_y, Stream::comm_z_gather, Stream::comm_z_scatter, Stream::comm_data};

std::string_view name_of(Stream stream);

/// The stream on which a reduction over `axis` is issued.
constexpr Stream reduction_stream(Axis axis) {
  switch (axis) {
    case Axis::x: return Stream::comm_x;
    case Axis::y: return Stream::comm_y;
    case Axis::z: return Stream::comm_z_scatter;
    case Axis::data:
    case Axis::pipe: return Stream::comm_data;
  }
  return Stream::comm_data;
}

/// A point in the work of a stream. Events are numbered in program order, from 0, equal on every backend.
struct Event {
  std::int64_t id = -1;
  bool valid() const { return id >= 0; }
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace fourfold
