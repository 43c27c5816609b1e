#include "sim/report/terminal_report.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "core/schedule/setup_names.hpp"
#include "sim/report/text_table.hpp"

namespace fourfold::sim {
namespace {

// core/cost/README.md has them in full.
constexpr std::string_view kKnownErrors =
    "Known errors of the parts (median / 90th percentile): GEMM times 4 / 14 %, collectives of 1 MB "
    "and more 5 / 17 %\n(NCCL all_gather on Perlmutter 4 / 12 %). Steps of AxoNN on Perlmutter, Frontier and Alps: 6 / 15 % "
    "(models of up to 320B;\n640B is predicted nearly twice as fast as published). More, and other machines: fourfold-sim validate.\n";

std::string slowdown_line(const RunSetup& setup) {
  if (setup.kernel_slowdown == 1) return "";
  return fmt::format(
      "Kernels take {:.2f} times as long as on one GPU: the slowest of {} sets the pace\n",
      setup.kernel_slowdown, grouped(setup.gpus()));
}

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}
/// With digits enough for the parts of a step of `step` seconds.
std::string seconds(Seconds time, Seconds step) {
  return fmt::format("{:.{}f}", time, step < 1 ? 6 : 4);
}
std::string gigabytes(double bytes) {
  return fmt::format("{:.3f}", bytes / kGiga);
}
std::string gibibytes(Bytes bytes) {
  return fmt::format("{:.3f}", static_cast<double>(bytes) / kGiB);
}

std::string rate_table(const RunReport& report) {
  TextTable table({"FLOP rate", "PFLOP/s", "TFLOP/s per GPU", "% of data sheet", "% of best GEMM"});
  const auto add = [&](const std::string& name, Flops flops) {
    const double rate = flops / report.result.step_time;
    table.add_row({name, fmt::format("{:.2f}", rate / kPeta),
                   fmt::format("{:.1f}", rate / kTera / report.setup.gpus()),
                   percent(report.share_of_peak(flops, report.setup.peak_flops)),
                   percent(report.share_of_peak(flops, report.setup.empirical_peak_flops))});
  };
  add("hardware, counted", report.hardware_flops.counted);
  add("hardware, formula", report.hardware_flops.formula);
  add("model, counted", report.model_flops.counted);
  add("model, formula", report.model_flops.formula);
  return table.to_string();
}

std::string time_table(const RunReport& report) {
  const SimulationResult& result = report.result;
  const auto share = [&](Seconds time) { return percent(time / result.step_time); };
  const auto text = [&](Seconds time) { return seconds(time, result.step_time); };
  TextTable table(
      {"time per GPU", "busy s", "exposed s", "overlapped s", "% of step", "count", "GB sent"});
  table.add_row({"compute", text(result.compute_busy), "", "", share(result.compute_busy)});
  for (const CollectiveTime& collective : result.collectives) {
    table.add_row({fmt::format("{} {}", name_of(collective.kind), name_of(collective.axes)),
                   text(collective.busy), text(collective.exposed), text(collective.overlapped()),
                   share(collective.exposed), grouped(collective.count),
                   gigabytes(collective.bytes_per_rank)});
  }
  table.add_row({"other waiting", "", text(report.other_idle()), "", share(report.other_idle())});
  return table.to_string();
}

void add_kernel(TextTable& table, const KernelTime& kernel, const SimulationResult& result) {
  const double rate = kernel.busy > 0 ? kernel.flops / kernel.busy / kTera : 0;
  table.add_row({kernel.name, grouped(kernel.count), seconds(kernel.busy, result.step_time),
                 percent(kernel.busy / result.compute_busy),
                 rate > 0 ? fmt::format("{:.1f}", rate) : "-"});
}

std::string kernel_table(const RunReport& report) {
  constexpr double kSmallestShare = 0.005;  // of the compute time, for a line of its own
  const SimulationResult& result = report.result;
  TextTable table({"kernel", "count", "busy s", "% of compute", "TFLOP/s"});
  KernelTime others;
  for (const KernelTime& kernel : result.kernels) {
    if (kernel.busy >= kSmallestShare * result.compute_busy) {
      add_kernel(table, kernel, result);
      continue;
    }
    others.count += kernel.count;
    others.busy += kernel.busy;
  }
  others.name = "others";
  if (others.count > 0) add_kernel(table, others, result);
  return table.to_string();
}

std::string folding_line(const RunReport& report) {
  const std::int64_t all = report.setup.train.micro_batches();
  if (report.replayed_micro_batches >= all) return "";
  return fmt::format("{} of {} micro-batches replayed, the others continue their steady rhythm\n",
                     report.replayed_micro_batches, grouped(all));
}

/// The parts of the row "framework".
std::string framework_line(const RunReport& report) {
  const FrameworkUse& use = report.memory.framework;
  if (use.total() == 0) return "";
  return fmt::format(
      "  framework, estimated ({}), GiB: context {}, {} communicators {}, workspace {}, "
      "fragmentation {}\n",
      report.setup.framework.name, gibibytes(use.context),
      communicator_sizes(report.setup.train.grid).size(), gibibytes(use.communicators),
      gibibytes(use.workspace), gibibytes(use.fragmentation));
}

std::string disturbance_tables(const RunReport& report) {
  if (report.disturbances.empty()) return "";
  const Seconds undisturbed = report.undisturbed_step_time;
  TextTable costs({"what goes wrong", "step s", "costs s", "costs %"});
  const auto add = [&](const std::string& name, Seconds step) {
    costs.add_row({name, seconds(step, undisturbed), seconds(step - undisturbed, undisturbed),
                   percent(step / undisturbed - 1)});
  };
  add("nothing", undisturbed);
  for (const DisturbanceCost& disturbance : report.disturbances) {
    add(disturbance.name, disturbance.step_time);
  }
  if (report.disturbances.size() > 1) add("all of it", report.result.step_time);
  TextTable waits({"ranks that waited most", "alike", "waited s", "% of step"});
  for (const RankWait& wait : report.result.longest_waits) {
    waits.add_row({std::to_string(wait.rank), grouped(wait.ranks),
                   seconds(wait.waiting, report.result.step_time),
                   percent(wait.waiting / report.result.step_time)});
  }
  return costs.to_string() + "\n" + waits.to_string() + "\n";
}

std::string network_tables(const SimulationResult& result) {
  if (result.link_classes.empty()) return "  no link carried anything\n";
  TextTable classes({"links", "used", "GB", "highest use %"});
  for (const LinkClassUse& use : result.link_classes) {
    classes.add_row(
        {use.link_class, grouped(use.links), gigabytes(use.bytes), percent(use.max_utilisation)});
  }
  TextTable busiest({"busiest links", "class", "GB", "use %"});
  const std::size_t shown = std::min<std::size_t>(5, result.busiest_links.size());
  for (const LinkUse& use : std::span(result.busiest_links).first(shown)) {
    busiest.add_row({use.name, use.link_class, gigabytes(use.bytes), percent(use.utilisation)});
  }
  return classes.to_string() + "\n" + busiest.to_string();
}

}  // namespace

std::string setup_lines(const RunSetup& setup) {
  const TrainConfig& train = setup.train;
  return fmt::format("{} ({:.3g} B parameters) on {} GPUs of {} ({})\n", setup.model.name,
                     static_cast<double>(setup.model.parameters()) / kGiga, grouped(setup.gpus()),
                     setup.machine, setup.gpu) +
         fmt::format("grid {} = x, y, z, data (order {}, innermost first)\n",
                     train.grid.to_string(), name_of(train.grid.order())) +
         fmt::format(
             "batch {} x {} tokens = {} tokens; micro-batches per GPU: {} of {} sequences\n",
             grouped(train.batch), grouped(train.sequence),
             grouped(static_cast<std::int64_t>(setup.tokens())), grouped(train.micro_batches()),
             grouped(train.micro_batch)) +
         fmt::format("overlap {}, recompute {}, attention {}, {}\n", to_string(train.overlap),
                     name_of(train.recompute), name_of(train.attention), name_of(train.dtype));
}

std::string memory_table(const RunReport& report) {
  TextTable table({"memory per GPU", "GiB at start", "GiB at peak"});
  for (std::size_t kind = 0; kind < kMemoryKindCount; ++kind) {
    table.add_row({std::string(name_of(static_cast<MemoryKind>(kind))),
                   gibibytes(report.memory.resident[kind]), gibibytes(report.memory.peak[kind])});
  }
  const Bytes framework = report.memory.framework.total();
  const Bytes resident = total(report.memory.resident);
  if (framework > 0) table.add_row({"framework", gibibytes(framework), gibibytes(framework)});
  table.add_row({"total", gibibytes(resident + framework), gibibytes(report.memory.needed())});
  table.add_row({"memory of the GPU", "", gibibytes(report.setup.gpu_memory)});
  return table.to_string() + framework_line(report) +
         fmt::format("  peak reached in: {}\n", report.memory.peak_place);
}

std::string terminal_report(const RunReport& report) {
  const Seconds step = report.result.step_time;
  return setup_lines(report.setup) +
         fmt::format("\nStep time {} s, {} tokens/s\n", seconds(step, step),
                     grouped(static_cast<std::int64_t>(report.tokens_per_second()))) +
         slowdown_line(report.setup) + folding_line(report) + "\n" + disturbance_tables(report) +
         rate_table(report) + "\n" + time_table(report) + "\n" + kernel_table(report) + "\n" +
         memory_table(report) + "\n" + network_tables(report.result) + "\n" +
         std::string(kKnownErrors);
}

}  // namespace fourfold::sim
