#include "core/cost/library_constants.hpp"

#include "core/base/json_reader.hpp"

namespace fourfold {
namespace {

ProtocolConstants read_protocol(JsonObject file) {
  ProtocolConstants constants;
  constants.step_latency_network = file.non_negative_number("step_latency_network_us") * kMicro;
  constants.step_latency_node = file.non_negative_number("step_latency_node_us") * kMicro;
  constants.network_efficiency = file.positive_fraction("network_efficiency");
  constants.node_efficiency = file.positive_fraction("node_efficiency");
  file.finish();
  return constants;
}

RingConstants read_ring(JsonObject file) {
  RingConstants constants;
  constants.fixed_network = file.non_negative_number("fixed_network_us") * kMicro;
  constants.fixed_node = file.non_negative_number("fixed_node_us") * kMicro;
  constants.simple = read_protocol(file.object("simple"));
  constants.low_latency = read_protocol(file.object("low_latency"));
  file.finish();
  return constants;
}

}  // namespace

LibraryConstants read_library_constants(const std::filesystem::path& path) {
  JsonObject file = read_json(path);
  LibraryConstants library;
  library.name = file.string("name");
  library.all_gather = read_ring(file.object("all_gather"));
  library.reduce_scatter = read_ring(file.object("reduce_scatter"));
  file.finish();
  return library;
}

}  // namespace fourfold
