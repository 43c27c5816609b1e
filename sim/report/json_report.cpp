#include "sim/report/json_report.hpp"

#include <nlohmann/json.hpp>

#include "core/schedule/setup_names.hpp"

namespace fourfold::sim {
namespace {

using Json = nlohmann::ordered_json;

Json grid_json(const Grid& grid) {
  return {{"x", grid.size(Axis::x)},
          {"y", grid.size(Axis::y)},
          {"z", grid.size(Axis::z)},
          {"data", grid.size(Axis::data)},
          {"order", name_of(grid.order())}};
}

Json setup_json(const RunSetup& setup) {
  const GptConfig& model = setup.model;
  const TrainConfig& train = setup.train;
  return {{"model", model.name},
          {"layers", model.layers},
          {"hidden", model.hidden},
          {"heads", model.heads},
          {"vocabulary", model.vocabulary},
          {"parameters", model.parameters()},
          {"machine", setup.machine},
          {"gpu", setup.gpu},
          {"gpus", setup.gpus()},
          {"kernel_slowdown", setup.kernel_slowdown},
          {"grid", grid_json(train.grid)},
          {"batch", train.batch},
          {"sequence", train.sequence},
          {"micro_batch", train.micro_batch},
          {"micro_batches", train.micro_batches()},
          {"overlap", to_string(train.overlap)},
          {"recompute", name_of(train.recompute)},
          {"attention", name_of(train.attention)},
          {"dtype", name_of(train.dtype)}};
}

Json flops_json(const RunReport& report, const StepFlops& flops) {
  const auto rate = [&](Flops value) -> Json {
    return {{"per_step_PFLOP", value / kPeta},
            {"rate_PFLOPS", value / report.result.step_time / kPeta},
            {"percent_of_peak", 100 * report.share_of_peak(value, report.setup.peak_flops)},
            {"percent_of_empirical_peak",
             100 * report.share_of_peak(value, report.setup.empirical_peak_flops)}};
  };
  return {{"counted", rate(flops.counted)}, {"formula", rate(flops.formula)}};
}

Json time_json(const RunReport& report) {
  Json collectives = Json::array();
  for (const CollectiveTime& time : report.result.collectives) {
    collectives.push_back({{"kind", name_of(time.kind)},
                           {"axes", name_of(time.axes)},
                           {"count", time.count},
                           {"sent_GB", time.bytes_per_rank / kGiga},
                           {"busy_s", time.busy},
                           {"exposed_s", time.exposed},
                           {"overlapped_s", time.overlapped()}});
  }
  return {{"compute_s", report.result.compute_busy},
          {"compute_idle_s", report.result.compute_idle},
          {"other_waiting_s", report.other_idle()},
          {"collectives", std::move(collectives)}};
}

Json kernels_json(const SimulationResult& result) {
  Json kernels = Json::array();
  for (const KernelTime& kernel : result.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"count", kernel.count},
                       {"busy_s", kernel.busy},
                       {"TFLOP", kernel.flops / kTera}});
  }
  return kernels;
}

Json memory_by_kind_json(const MemoryByKind& memory) {
  Json kinds = Json::object();
  for (std::size_t kind = 0; kind < kMemoryKindCount; ++kind) {
    kinds[std::string(name_of(static_cast<MemoryKind>(kind)))] =
        static_cast<double>(memory[kind]) / kGiB;
  }
  kinds["total"] = static_cast<double>(total(memory)) / kGiB;
  return kinds;
}

Json framework_json(const FrameworkUse& use) {
  const auto gibibytes = [](Bytes bytes) { return static_cast<double>(bytes) / kGiB; };
  return {{"context", gibibytes(use.context)},
          {"communicators", gibibytes(use.communicators)},
          {"workspace", gibibytes(use.workspace)},
          {"fragmentation", gibibytes(use.fragmentation)},
          {"total", gibibytes(use.total())}};
}

Json memory_json(const RunReport& report) {
  return {{"gpu_GiB", static_cast<double>(report.setup.gpu_memory) / kGiB},
          {"resident_GiB", memory_by_kind_json(report.memory.resident)},
          {"peak_GiB", memory_by_kind_json(report.memory.peak)},
          {"peak_place", report.memory.peak_place},
          {"framework_GiB", framework_json(report.memory.framework)},
          {"needed_GiB", static_cast<double>(report.memory.needed()) / kGiB}};
}

Json network_json(const SimulationResult& result) {
  Json classes = Json::array();
  for (const LinkClassUse& use : result.link_classes) {
    classes.push_back({{"class", use.link_class},
                       {"links", use.links},
                       {"carried_GB", use.bytes / kGiga},
                       {"highest_use_percent", 100 * use.max_utilisation}});
  }
  Json busiest = Json::array();
  for (const LinkUse& use : result.busiest_links) {
    busiest.push_back({{"name", use.name},
                       {"class", use.link_class},
                       {"carried_GB", use.bytes / kGiga},
                       {"use_percent", 100 * use.utilisation}});
  }
  return {{"classes", std::move(classes)}, {"busiest_links", std::move(busiest)}};
}

Json disturbances_json(const RunReport& report) {
  const Seconds undisturbed = report.undisturbed_step_time;
  Json each = Json::array();
  for (const DisturbanceCost& disturbance : report.disturbances) {
    each.push_back({{"what", disturbance.name},
                    {"step_time_s", disturbance.step_time},
                    {"cost_percent", 100 * (disturbance.step_time / undisturbed - 1)}});
  }
  Json waits = Json::array();
  for (const RankWait& wait : report.result.longest_waits) {
    waits.push_back({{"rank", wait.rank}, {"ranks_alike", wait.ranks}, {"waiting_s", wait.waiting}});
  }
  return {{"undisturbed_step_time_s", undisturbed},
          {"cost_percent", 100 * (report.result.step_time / undisturbed - 1)},
          {"each_alone", std::move(each)},
          {"longest_waits", std::move(waits)}};
}

}  // namespace

std::string json_report(const RunReport& report) {
  Json json = {
      {"setup", setup_json(report.setup)},
      {"step_time_s", report.result.step_time},
      {"tokens_per_s", report.tokens_per_second()},
      {"hardware_flops", flops_json(report, report.hardware_flops)},
      {"model_flops", flops_json(report, report.model_flops)},
      {"time_per_gpu", time_json(report)},
      {"kernels", kernels_json(report.result)},
      {"memory_per_gpu", memory_json(report)},
      {"network", network_json(report.result)},
      {"simulation",
       {{"replayed_ranks", report.result.replayed_ranks},
        {"replayed_micro_batches", report.replayed_micro_batches},
        {"rank_operations", report.result.rank_operations}, {"flows", report.result.flows}}}};
  if (!report.disturbances.empty()) json["disturbances"] = disturbances_json(report);
  return json.dump(2) + "\n";
}

}  // namespace fourfold::sim
