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

TreeConstants::Protocol read_tree_protocol(JsonObject file) {
  TreeConstants::Protocol protocol;
  protocol.hop_latency = file.non_negative_number("hop_latency_us") * kMicro;
  protocol.network_efficiency = file.positive_fraction("network_efficiency");
  protocol.two_node_efficiency = file.positive_fraction("two_node_efficiency");
  file.finish();
  return protocol;
}

TreeConstants read_tree(JsonObject file) {
  TreeConstants tree;
  tree.simple = read_tree_protocol(file.object("simple"));
  tree.low_latency = read_tree_protocol(file.object("low_latency"));
  file.finish();
  return tree;
}

ExchangeConstants read_exchange(JsonObject file) {
  ExchangeConstants exchange;
  exchange.latency_node = file.non_negative_number("latency_node_us") * kMicro;
  exchange.latency_network = file.non_negative_number("latency_network_us") * kMicro;
  exchange.peer_latency = file.non_negative_number("peer_latency_us") * kMicro;
  exchange.pair_node_efficiency = file.positive_fraction("pair_node_efficiency");
  exchange.pair_network_efficiency = file.positive_fraction("pair_network_efficiency");
  exchange.all_node_efficiency = file.positive_fraction("all_node_efficiency");
  exchange.all_network_efficiency = file.positive_fraction("all_network_efficiency");
  file.finish();
  return exchange;
}

void read_mesh(JsonObject file, LibraryConstants& library) {
  library.link_efficiency = file.positive_fraction("link_efficiency");
  library.detour_efficiency = file.positive_fraction("detour_efficiency");
  file.finish();
}

NvlsConstants read_nvls(JsonObject file) {
  NvlsConstants nvls;
  nvls.latency = file.non_negative_number("latency_us") * kMicro;
  nvls.node_efficiency = file.positive_number("node_efficiency");
  file.finish();
  return nvls;
}

TuningConstants read_tuning(JsonObject file) {
  TuningConstants tuning;
  tuning.architecture = parse_nccl_architecture(file.string("architecture"));
  tuning.amd_host = file.boolean("amd_host");
  tuning.channels_per_node = file.count("channels_per_node");
  tuning.channel_bandwidth_GBps = file.positive_number("channel_bandwidth_GBps");
  file.finish();
  return tuning;
}

}  // namespace

LibraryConstants read_library_constants(const std::filesystem::path& path) {
  JsonObject file = read_json(path);
  LibraryConstants library;
  library.name = file.string("name");
  library.all_gather = read_ring(file.object("all_gather"));
  library.reduce_scatter = read_ring(file.object("reduce_scatter"));
  if (file.has("uneven_mesh")) read_mesh(file.object("uneven_mesh"), library);
  if (file.has("all_reduce")) library.all_reduce = read_ring(file.object("all_reduce"));
  if (file.has("exchange")) library.exchange = read_exchange(file.object("exchange"));
  if (file.has("nvls")) library.nvls = read_nvls(file.object("nvls"));
  if (file.has("all_reduce_tree")) {
    library.all_reduce_tree = read_tree(file.object("all_reduce_tree"));
    if (file.has("tuning")) library.tuning = read_tuning(file.object("tuning"));
  }
  file.finish();
  return library;
}

}  // namespace fourfold
