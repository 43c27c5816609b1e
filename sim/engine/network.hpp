#pragma once
// The process's SimGrid engine with one platform loaded, reduced to what the replay needs: routes,
// flows, timers.
//
// Only network.cpp includes SimGrid; what differs between its versions stays there. No actors are
// used: flows and timers call back from SimGrid's main loop, which costs neither stacks nor context
// switches.
//
// Latency is charged by the collective model, not per flow: link latencies are read for `latency`
// below and then set to zero, so that a flow that just started shares its links like any other
// (plain max-min fairness, SimGrid's CM02).

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace fourfold::sim {

using LinkId = int;
using RouteId = int;

struct Link {
  std::string name;  ///< SimGrid's name, such as "gpu-0_UP"
  BytesPerSecond bandwidth = 0;
  Seconds latency = 0;
  bool shared = true;  ///< false for a fat pipe, whose bandwidth every flow has to itself
};

/// The links between two hosts of the platform file.
struct Path {
  std::vector<LinkId> links;
  Seconds latency = 0;
};

class Network {
 public:
  using Callback = std::function<void()>;

  /// The process's network. The first call starts SimGrid and loads `file`; later calls with the
  /// same file return the same network. Throws BackendError when SimGrid refuses the file, has
  /// refused one before, or another platform is loaded already.
  static Network& load(const std::filesystem::path& file);

  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const std::vector<Link>& links() const;
  bool has_host(const std::string& name) const;
  /// Changes a link between two runs.
  void set_bandwidth(LinkId link, BytesPerSecond bandwidth);
  /// The route between two hosts. Throws ConfigError naming the host that the platform lacks.
  Path path(const std::string& source_host, const std::string& destination_host) const;

  /// Makes a route for flows out of any links. A link listed k times carries each byte k times.
  RouteId add_route(const std::vector<LinkId>& links);

  /// Simulated time; it never goes back, also not from one `run` to the next.
  Seconds now() const;
  /// Calls back at `time`, or at once when that is not in the future.
  void at(Seconds time, Callback callback);
  /// Starts moving `bytes` (rounded to 1/1024) now; calls back when the last one has arrived.
  void send(RouteId route, double bytes, Callback callback);
  /// Advances until no timer and no flow is left.
  void run();

 private:
  explicit Network(const std::filesystem::path& file);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fourfold::sim
