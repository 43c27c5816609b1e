#pragma once
// The analytical model of a training step: time, memory and FLOPs of one configuration in
// microseconds, without recording or simulating it.
//
//   kernels   exactly those of the recorded program, with the times of core/cost/kernel_model.hpp
//   memory    by kind at the peak, equal to the recorded program's
//   time      fitted: the walked schedule (step_walk.hpp), so that communication is exposed where
//             the overlap policy leaves it so. paper, scripted: kernels plus communication_time of
//             comm_model.hpp, nothing hidden
//
// Left out: waiting for other ranks, different collectives that share links at the same time, and
// everything behind the NIC (global links). The simulator has them.

#include <map>
#include <optional>

#include "core/analytic/comm_model.hpp"
#include "core/analytic/rank_walk.hpp"
#include "core/cost/framework_memory.hpp"
#include "core/cost/gpu_fleet.hpp"

namespace fourfold {

struct StepEstimate {
  Seconds step_time = 0;
  WalkTotals totals;        ///< kernels, FLOPs of one rank; collectives of the walked schedule
  AxisTimes communication;  ///< busy time by axis, as the variant counts it
  MemoryByKind resident{};  ///< held when the step begins
  MemoryByKind peak{};
  FrameworkUse framework;  ///< beside the peak

  double slowdown = 1;      ///< of the kernels by waiting for the slowest GPU, part of `totals`

  Seconds exposed() const { return step_time - totals.kernels; }
  /// Memory that a GPU must have.
  Bytes needed() const { return total(peak) + framework.total(); }
};

/// What the model knows of a machine.
struct AnalyticMachine {
  GpuSpec gpu;
  LibraryConstants library;
  NodeLinks links;
  std::optional<BandwidthTable> bandwidths;  ///< for the paper's variants
  GpuFleet fleet;
  FrameworkMemory framework = {};            ///< none unless given
};

/// Not thread-safe: kernel times are kept.
class StepModel {
 public:
  /// Throws ConfigError if the variant needs a bandwidth table and there is none.
  StepModel(GptConfig model, AnalyticMachine machine, CommVariant variant);

  /// Model and configuration must fit together (check_divisibility).
  StepEstimate estimate(const TrainConfig& train);
  /// The communication of a step alone: Eq 6 over all layers, or the sum of all collectives.
  AxisTimes communication(const TrainConfig& train);

  const GptConfig& model() const { return model_; }
  const AnalyticMachine& machine() const { return machine_; }
  CommVariant variant() const { return variant_; }

 private:
  const StepCosts& costs(const TrainConfig& train);
  AxisTimes equations(const TrainConfig& train) const;

  GptConfig model_;
  AnalyticMachine machine_;
  CommVariant variant_;
  KernelModel kernels_;
  CollectiveModel collectives_;
  std::map<std::array<std::int64_t, 6>, StepCosts> costs_;
};

}  // namespace fourfold
