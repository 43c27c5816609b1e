#include "sim/engine/network.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "core/base/error.hpp"

namespace fourfold::sim {
namespace {

namespace s4u = simgrid::s4u;

// A route is a bypass route between two hosts that exist only for this. Hosts must be created
// before the platform is sealed, routes need not: ordered pairs of a few hosts make enough of them.
constexpr std::size_t kVirtualHosts = 512;

// SimGrid moves whole units. A unit smaller than a byte keeps the rounding of what is left of a flow
// (pipes.hpp) far below the time resolution that results are compared at.
constexpr double kUnitsPerByte = 1024;

/// Starts SimGrid with the settings of an RDMA-like network: max-min sharing without TCP's
/// corrections.
s4u::Engine* start_engine() {
  static std::string name = "fourfold";
  static std::string quiet = "--log=root.thresh:warning";
  static std::array<char*, 3> arguments = {name.data(), quiet.data(), nullptr};
  static int count = 2;
  auto* engine =
      new s4u::Engine(&count, arguments.data());  // SimGrid ends its engine itself, at exit
  for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
                              "network/weight-S:0", "network/optim:Lazy", "debug/verbose-exit:0"}) {
    s4u::Engine::set_config(setting);
  }
  return engine;
}

}  // namespace

struct Network::State {
  struct Flow {
    s4u::CommPtr comm;
    Callback callback;
  };

  std::filesystem::path file;
  s4u::Engine* engine = nullptr;
  s4u::NetZone* virtual_zone = nullptr;
  std::vector<s4u::Host*> virtual_hosts;
  std::vector<s4u::Link*> simgrid_links;
  std::unordered_map<std::string, const s4u::Host*> hosts;  // SimGrid searches all hosts for a name
  std::vector<Link> links;
  std::unordered_map<const s4u::Link*, LinkId> link_ids;
  std::size_t routes = 0;
  std::unordered_map<const s4u::Activity*, Flow> flows;
  s4u::CommPtr
      just_finished;  // SimGrid still touches a flow after its completion callback has returned

  // Route i runs between the i-th ordered pair of two different hosts.
  std::size_t source_index(std::size_t route) const { return route / (kVirtualHosts - 1); }
  s4u::Host* source(std::size_t route) const { return virtual_hosts[source_index(route)]; }
  s4u::Host* destination(std::size_t route) const {
    const std::size_t other = route % (kVirtualHosts - 1);
    return virtual_hosts[other < source_index(route) ? other : other + 1];
  }

  void take_hosts();
  void take_links();
  void finish(const s4u::Activity& activity);
};

void Network::State::take_hosts() {
  for (const s4u::Host* host : engine->get_all_hosts()) hosts[host->get_name()] = host;
}

/// Numbers the links, moves their latencies out of SimGrid and tells it their bandwidths in our unit.
void Network::State::take_links() {
  simgrid_links = engine->get_all_links();
  for (s4u::Link* link : simgrid_links) {
    link_ids[link] = static_cast<LinkId>(links.size());
    links.push_back({link->get_name(), link->get_bandwidth(), link->get_latency(),
                     link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE});
    link->set_latency(0.0);
    link->set_bandwidth(kUnitsPerByte * links.back().bandwidth);
  }
}

void Network::State::finish(const s4u::Activity& activity) {
  const auto entry = flows.find(&activity);
  if (entry == flows.end()) return;
  const Callback callback = std::move(entry->second.callback);
  just_finished = std::move(entry->second.comm);
  flows.erase(entry);
  callback();
}

Network& Network::load(const std::filesystem::path& file) {
  static std::unique_ptr<Network> network;
  static bool started = false;
  const std::filesystem::path path = std::filesystem::weakly_canonical(file);
  if (!network && started) {
    throw BackendError(fmt::format(
        "cannot load {}: SimGrid has refused a platform in this process and cannot start again; "
        "load it in another process",
        path.string()));
  }
  started = true;
  if (!network) network.reset(new Network(path));
  if (network->state_->file != path) {
    throw BackendError(
        fmt::format("cannot load {}: SimGrid holds one platform per process and {} is loaded; "
                    "simulate other machines in processes of their own",
                    path.string(), network->state_->file.string()));
  }
  return *network;
}

Network::Network(const std::filesystem::path& file) : state_(std::make_unique<State>()) {
  state_->file = file;
  state_->engine = start_engine();
  try {
    state_->engine->load_platform(file.string());
  } catch (const std::exception& error) {
    throw BackendError(
        fmt::format("SimGrid refuses the platform {}: {}", file.string(), error.what()));
  }
  state_->virtual_zone = s4u::create_empty_zone("fourfold-routes");
  state_->virtual_zone->set_parent(state_->engine->get_netzone_root());
  for (std::size_t i = 0; i < kVirtualHosts; ++i) {
    state_->virtual_hosts.push_back(
        state_->virtual_zone->create_host(fmt::format("fourfold-route-{}", i), 1.0));
  }
  state_->engine->seal_platform();
  state_->take_hosts();
  state_->take_links();
  s4u::Activity::on_completion_cb(
      [state = state_.get()](const s4u::Activity& activity) { state->finish(activity); });
}

Network::~Network() = default;

const std::vector<Link>& Network::links() const {
  return state_->links;
}

bool Network::has_host(const std::string& name) const {
  return state_->hosts.contains(name);
}

void Network::set_bandwidth(LinkId link, BytesPerSecond bandwidth) {
  const auto index = static_cast<std::size_t>(link);
  state_->links[index].bandwidth = bandwidth;
  state_->simgrid_links[index]->set_bandwidth(kUnitsPerByte * bandwidth);
}

Path Network::path(const std::string& source_host, const std::string& destination_host) const {
  const auto find = [&](const std::string& name) {
    const auto host = state_->hosts.find(name);
    if (host != state_->hosts.end()) return host->second;
    throw ConfigError(fmt::format(
        "platform {} has no host \"{}\"; every GPU R needs a host gpu-R inside its node, and "
        "every network port N a host nic-N",
        state_->file.string(), name));
  };
  std::vector<s4u::Link*> links;
  find(source_host)->route_to(find(destination_host), links, nullptr);
  Path path;
  for (const s4u::Link* link : links) {
    const LinkId id = state_->link_ids.at(link);
    path.links.push_back(id);
    path.latency += state_->links[static_cast<std::size_t>(id)].latency;
  }
  return path;
}

RouteId Network::add_route(const std::vector<LinkId>& links) {
  if (state_->routes == kVirtualHosts * (kVirtualHosts - 1)) {
    throw BackendError(fmt::format(
        "more than {} routes in one process; simulate in several processes", state_->routes));
  }
  std::vector<s4u::LinkInRoute> simgrid_links;
  for (LinkId link : links)
    simgrid_links.emplace_back(state_->simgrid_links[static_cast<std::size_t>(link)]);
  const std::size_t route = state_->routes++;
  state_->virtual_zone->add_bypass_route(state_->source(route)->get_netpoint(),
                                         state_->destination(route)->get_netpoint(), nullptr,
                                         nullptr, simgrid_links);
  return static_cast<RouteId>(route);
}

Seconds Network::now() const {
  return s4u::Engine::get_clock();
}

void Network::at(Seconds time, Callback callback) {
  if (time <= now()) return callback();
  simgrid::kernel::timer::Timer::set(time, std::move(callback));
}

void Network::send(RouteId route, double bytes, Callback callback) {
  const auto index = static_cast<std::size_t>(route);
  const auto units = static_cast<std::uint64_t>(std::llround(kUnitsPerByte * bytes));
  if (units == 0) {  // SimGrid would never start an empty flow
    simgrid::kernel::timer::Timer::set(now(), std::move(callback));
    return;
  }
  const s4u::CommPtr comm = s4u::Comm::sendto_init();
  state_->flows[comm.get()] = {comm, std::move(callback)};
  // Naming both ends starts the flow.
  comm->set_payload_size(units)
      ->set_source(state_->source(index))
      ->set_destination(state_->destination(index));
}

void Network::run() {
  state_->engine->run();
}

}  // namespace fourfold::sim
