#pragma once
// Tags of the one communicator that all messages use.

#include "core/backend/stream.hpp"

namespace fourfold::real {

/// Two ranks may be members of several groups and use each on several streams; the tag keeps their messages apart.
inline int data_tag(Stream stream, AxisSet axes) {
  return static_cast<int>(stream) * (1 << kAxisCount) + axes.bits();
}

/// One for all groups, so that members of different ones find each other out.
inline int check_tag(Stream stream) {
  return kStreamCount * (1 << kAxisCount) + static_cast<int>(stream);
}

}  // namespace fourfold::real
