#include "sim/report/linear_continuation.hpp"

#include <algorithm>
#include <utility>

namespace fourfold::sim {
namespace {

class Continuation {
 public:
  explicit Continuation(std::int64_t further) : further_(further) {}

  void extend(double previous, double& last) const {
    last += static_cast<double>(further_) * (last - previous);
  }
  void extend(std::int64_t previous, std::int64_t& last) const {
    last += further_ * (last - previous);
  }

 private:
  std::int64_t further_;
};

void extend(const Continuation& more, const std::vector<KernelTime>& previous,
            std::vector<KernelTime>& last) {
  for (KernelTime& kernel : last) {
    const auto before = std::find_if(previous.begin(), previous.end(),
                                     [&](const KernelTime& k) { return k.name == kernel.name; });
    if (before == previous.end()) continue;
    more.extend(before->count, kernel.count);
    more.extend(before->busy, kernel.busy);
    more.extend(before->flops, kernel.flops);
  }
  std::stable_sort(last.begin(), last.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.busy > b.busy; });
}

void extend(const Continuation& more, const std::vector<CollectiveTime>& previous,
            std::vector<CollectiveTime>& last) {
  for (CollectiveTime& collective : last) {
    const auto before =
        std::find_if(previous.begin(), previous.end(), [&](const CollectiveTime& c) {
          return c.kind == collective.kind && c.axes == collective.axes;
        });
    if (before == previous.end()) continue;
    more.extend(before->count, collective.count);
    more.extend(before->bytes_per_rank, collective.bytes_per_rank);
    more.extend(before->busy, collective.busy);
    more.extend(before->exposed, collective.exposed);
  }
}

/// Step times of the two reports and of the one that is made.
struct StepTimes {
  Seconds previous, last, continued;
};

/// Utilisation times step time is the time for which the link was as good as full; that grows linearly.
double extend_utilisation(const Continuation& more, const StepTimes& steps, double previous,
                          double last) {
  Seconds full = last * steps.last;
  more.extend(previous * steps.previous, full);
  return full / steps.continued;
}

void extend_links(const Continuation& more, const StepTimes& steps,
                  const SimulationResult& previous, SimulationResult& last) {
  for (LinkClassUse& use : last.link_classes) {
    for (const LinkClassUse& before : previous.link_classes) {
      if (before.link_class != use.link_class) continue;
      more.extend(before.bytes, use.bytes);
      use.max_utilisation =
          extend_utilisation(more, steps, before.max_utilisation, use.max_utilisation);
    }
  }
  // A link that is among the busiest of one report only is left out: what it carries is not known.
  std::vector<LinkUse> busiest;
  for (LinkUse& use : last.busiest_links) {
    for (const LinkUse& before : previous.busiest_links) {
      if (before.name != use.name) continue;
      more.extend(before.bytes, use.bytes);
      use.utilisation = extend_utilisation(more, steps, before.utilisation, use.utilisation);
      busiest.push_back(use);
    }
  }
  last.busiest_links = std::move(busiest);
}

void extend(const Continuation& more, const std::vector<RankWait>& previous,
            std::vector<RankWait>& last) {
  for (RankWait& wait : last) {
    for (const RankWait& before : previous) {
      if (before.rank == wait.rank) more.extend(before.waiting, wait.waiting);
    }
  }
}

void extend(const Continuation& more, const SimulationResult& previous, SimulationResult& last) {
  StepTimes steps{previous.step_time, last.step_time, last.step_time};
  more.extend(previous.step_time, steps.continued);
  extend_links(more, steps, previous, last);
  last.step_time = steps.continued;
  more.extend(previous.compute_busy, last.compute_busy);
  more.extend(previous.compute_idle, last.compute_idle);
  extend(more, previous.kernels, last.kernels);
  extend(more, previous.collectives, last.collectives);
  extend(more, previous.longest_waits, last.longest_waits);
}

}  // namespace

RunReport continue_linearly(const RunReport& previous, const RunReport& last,
                            std::int64_t micro_batches) {
  const Continuation more(micro_batches - last.replayed_micro_batches);
  RunReport report = last;
  more.extend(previous.hardware_flops.counted, report.hardware_flops.counted);
  more.extend(previous.model_flops.counted, report.model_flops.counted);
  extend(more, previous.result, report.result);
  return report;
}

}  // namespace fourfold::sim
