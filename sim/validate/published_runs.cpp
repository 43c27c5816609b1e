#include "sim/validate/published_runs.hpp"

#include <algorithm>
#include <cctype>

#include "core/base/math.hpp"
#include "core/base/names.hpp"
#include "sim/cli/framework_option.hpp"
#include "sim/cli/plan_options.hpp"

namespace fourfold::sim {
namespace {

constexpr std::int64_t kBatch = 8192;
constexpr std::int64_t kSequence = 2048;
constexpr std::size_t kTriedGrids = 10;
/// Megatron-LM's make-vocab-size-divisible-by, for each tensor-parallel rank; three of them where the GPUs have a factor of 3.
constexpr std::int64_t kVocabularyPadding = 128;

std::string preset_name(const MeasuredRow& row) {
  std::string size = row.text("model_params");
  std::ranges::transform(size, size.begin(), [](unsigned char c) { return std::tolower(c); });
  return "gpt-" + size;
}

}  // namespace

std::string not_a_published_run(const MeasuredRow& row) {
  if (!row.text("framework").starts_with("AxoNN")) return "framework other than AxoNN";
  if (!row.text("batch_tokens").starts_with("16777216")) return "batch not published";
  if (row.text("gpus").empty()) return "number of GPUs not published";
  const std::vector<std::string> models = model_names();
  if (std::ranges::find(models, preset_name(row)) == models.end()) return "no such model";
  return "";
}

GptConfig published_model(const MeasuredRow& row) {
  GptConfig model = find_gpt_config(preset_name(row));
  const std::int64_t odd_ranks = row.positive_integer("gpus") % 3 == 0 ? 3 : 1;
  const std::int64_t unit = kVocabularyPadding * odd_ranks;
  model.vocabulary = ceil_div(model.vocabulary, unit) * unit;
  return model;
}

PlanRequest published_request(const MeasuredRow& row) {
  PlanRequest request;
  request.gpus = static_cast<int>(row.positive_integer("gpus"));
  request.train.batch = kBatch;
  request.train.sequence = kSequence;
  request.train.overlap = OverlapPolicy::paper();
  request.train.attention = AttentionAlgorithm::flash;
  request.recompute = {Recompute::full};
  return request;
}

StepModel published_step_model(const MeasuredRow& row, const Machine& machine, bool tuned) {
  AnalyticMachine analytic = analytic_machine(machine);
  analytic.gpu.tunes_products = tuned;
  analytic.framework = usual_framework(machine);
  return StepModel(published_model(row), std::move(analytic), CommVariant::fitted);
}

std::optional<Plan> published_plan(StepModel& model, const PlanRequest& request) {
  std::vector<Plan> plans = search_plans(model, request).plans;
  if (plans.empty()) return std::nullopt;
  if (!model.machine().bandwidths) return plans.front();
  StepModel authors(model.model(), model.machine(), CommVariant::scripted);
  std::vector<std::pair<Seconds, const Plan*>> ranked;
  for (const Plan& plan : plans) {
    ranked.emplace_back(authors.communication(plan.train).total(), &plan);
  }
  std::ranges::sort(ranked);
  ranked.resize(std::min(ranked.size(), kTriedGrids));
  return *std::ranges::min_element(ranked, {}, [](const auto& entry) {
            return entry.second->estimate.step_time;
          })->second;
}

}  // namespace fourfold::sim
