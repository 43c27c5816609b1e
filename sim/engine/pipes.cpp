#include "sim/engine/pipes.hpp"

#include <algorithm>
#include <utility>

namespace fourfold::sim {

Pipes::Pipes(Network& network) : network_(network), users_(network.links().size()) {}

PipeId Pipes::add(const std::vector<LinkId>& links) {
  std::vector<LinkId> sorted = links;
  std::ranges::sort(sorted);
  const auto [entry, added] =
      pipe_over_.try_emplace(std::move(sorted), static_cast<PipeId>(pipes_.size()));
  if (added) pipes_.push_back(make_pipe(entry->first));
  return entry->second;
}

Pipes::Pipe Pipes::make_pipe(const std::vector<LinkId>& links) const {
  Pipe pipe;
  pipe.links = &links;
  for (auto first = links.begin(); first != links.end();) {
    const auto next = std::upper_bound(first, links.end(), *first);
    const Link& link = network_.links()[static_cast<std::size_t>(*first)];
    BytesPerSecond& rate = link.shared ? pipe.shared_rate : pipe.own_rate;
    rate = std::min(rate, link.bandwidth / static_cast<double>(next - first));
    if (link.shared) pipe.shared_links.push_back(*first);
    first = next;
  }
  return pipe;
}

void Pipes::send(PipeId id, double bytes, Callback callback) {
  Pipe& pipe = at(id);
  if (bytes == 0) return network_.send(pipe.route, 0, std::move(callback));
  if (pipe.flows.empty() && pipe.simgrid_flows == 0) take_links(id);
  if (!pipe.alone) return send_by_simgrid(id, bytes, std::move(callback));
  update(pipe);
  pipe.flows.push_back({bytes, std::move(callback)});
  await_shortest(id);
}

void Pipes::take_links(PipeId id) {
  Pipe& pipe = at(id);
  pipe.alone = true;
  for (LinkId link : pipe.shared_links) {
    Users& users = users_[static_cast<std::size_t>(link)];
    if (users.pipes > 0) pipe.alone = false;
    if (users.pipes == 1) move_to_simgrid(users.sum);
    users.pipes += 1;
    users.sum += id;
  }
}

void Pipes::release_links(const Pipe& pipe, PipeId id) {
  for (LinkId link : pipe.shared_links) {
    Users& users = users_[static_cast<std::size_t>(link)];
    users.pipes -= 1;
    users.sum -= id;
  }
}

void Pipes::move_to_simgrid(PipeId id) {
  Pipe& pipe = at(id);
  if (!pipe.alone) return;
  update(pipe);
  pipe.alone = false;
  pipe.timer += 1;
  for (Flow& flow : std::exchange(pipe.flows, {})) {
    send_by_simgrid(id, flow.bytes, std::move(flow.callback));
  }
}

void Pipes::send_by_simgrid(PipeId id, double bytes, Callback callback) {
  Pipe& pipe = at(id);
  if (pipe.route < 0) pipe.route = network_.add_route(*pipe.links);
  pipe.simgrid_flows += 1;
  network_.send(pipe.route, bytes, [this, id, callback = std::move(callback)] {
    Pipe& own = at(id);
    if (--own.simgrid_flows == 0) release_links(own, id);
    callback();
  });
}

BytesPerSecond Pipes::Pipe::rate_of_each() const {
  return std::min(shared_rate / static_cast<double>(flows.size()), own_rate);
}

void Pipes::update(Pipe& pipe) {
  const Seconds now = network_.now();
  if (!pipe.flows.empty()) {
    const double moved = (now - pipe.updated) * pipe.rate_of_each();
    for (Flow& flow : pipe.flows) flow.bytes = std::max(0.0, flow.bytes - moved);
  }
  pipe.updated = now;
}

double Pipes::Pipe::shortest() const {
  double bytes = flows.front().bytes;
  for (const Flow& flow : flows) bytes = std::min(bytes, flow.bytes);
  return bytes;
}

void Pipes::await_shortest(PipeId id) {
  Pipe& pipe = at(id);
  pipe.timer += 1;
  network_.at(pipe.updated + pipe.shortest() / pipe.rate_of_each(), [this, id, timer = pipe.timer] {
    if (timer == at(id).timer) finish_shortest(id);
  });
}

void Pipes::finish_shortest(PipeId id) {
  Pipe& pipe = at(id);
  const double moved = pipe.shortest();  // without rounding by way of the time
  std::vector<Callback> finished;
  for (Flow& flow : pipe.flows) {
    flow.bytes -= moved;
    if (flow.bytes == 0) finished.push_back(std::move(flow.callback));
  }
  std::erase_if(pipe.flows, [](const Flow& flow) { return flow.bytes == 0; });
  pipe.updated = network_.now();
  if (pipe.flows.empty()) {
    release_links(pipe, id);
  } else {
    await_shortest(id);
  }
  for (const Callback& callback : finished) callback();
}

}  // namespace fourfold::sim
