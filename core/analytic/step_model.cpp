#include "core/analytic/step_model.hpp"

#include <utility>

#include "core/analytic/step_walk.hpp"
#include "core/base/error.hpp"

namespace fourfold {
namespace {

AxisTimes by_axis(const std::array<Seconds, kStreamCount>& streams) {
  const auto of = [&](Stream stream) { return streams[static_cast<std::size_t>(stream)]; };
  return {of(Stream::comm_x), of(Stream::comm_y),
          of(Stream::comm_z_gather) + of(Stream::comm_z_scatter), of(Stream::comm_data)};
}

}  // namespace

StepModel::StepModel(GptConfig model, AnalyticMachine machine, CommVariant variant)
    : model_(std::move(model)),
      machine_(std::move(machine)),
      variant_(variant),
      kernels_(machine_.gpu),
      collectives_(machine_.library, machine_.links) {
  if (variant != CommVariant::fitted && !machine_.bandwidths) {
    throw ConfigError(
        "the model variant " + std::string(name_of(variant)) +
        " needs a table of bandwidths for the machine, platforms/bandwidths/NAME.json; "
        "write one or choose the variant fitted");
  }
}

StepEstimate StepModel::estimate(const TrainConfig& train) {
  const FittedCollectives fitted(collectives_, machine_.links, train.grid);
  const StepCosts& step = costs(train);
  const ParameterCosts parameters = parameter_costs(model_, train, step, kernels_, fitted);
  const ActivationCollectives activations = activation_collectives(step, train, fitted);
  StepEstimate estimate;
  estimate.slowdown = fourfold::slowdown(machine_.fleet, train.grid.world_size());
  StepWalk walk(model_, train, step, parameters, activations,
                {estimate.slowdown, kernels_.beside_collectives()});
  walk.walk();

  estimate.totals = walk.rank().totals();
  estimate.resident = parameters.resident;
  estimate.peak = walk.rank().memory().at_peak();
  estimate.framework = framework_use(machine_.framework, train.grid, total(estimate.peak));
  if (variant_ == CommVariant::fitted) {
    estimate.communication = by_axis(estimate.totals.busy);
    estimate.step_time = walk.rank().end();
  } else {
    estimate.communication = equations(train);
    estimate.step_time = estimate.totals.kernels + estimate.communication.total();
  }
  return estimate;
}

AxisTimes StepModel::communication(const TrainConfig& train) {
  return variant_ == CommVariant::fitted ? estimate(train).communication : equations(train);
}

AxisTimes StepModel::equations(const TrainConfig& train) const {
  const CommCounts counts =
      variant_ == CommVariant::paper ? CommCounts::paper() : CommCounts::scripted();
  return communication_time(block_layers(model_, train), model_.layers, train, counts,
                            *machine_.bandwidths);
}

const StepCosts& StepModel::costs(const TrainConfig& train) {
  const std::array<std::int64_t, 6> key = {train.grid.size(Axis::x),
                                           train.grid.size(Axis::y),
                                           train.micro_batch,
                                           train.sequence,
                                           static_cast<std::int64_t>(train.dtype),
                                           static_cast<std::int64_t>(train.attention)};
  const auto known = costs_.find(key);
  if (known != costs_.end()) return known->second;
  return costs_.emplace(key, step_costs(model_, train, kernels_)).first->second;
}

}  // namespace fourfold
