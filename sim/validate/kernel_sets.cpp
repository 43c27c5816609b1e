#include "sim/validate/kernel_sets.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/cost/attention_model.hpp"
#include "core/cost/gemm_model.hpp"
#include "sim/machine.hpp"

namespace fourfold::sim {
namespace {

/// The GPUs that rows ask for, read once each.
class Gpus {
 public:
  explicit Gpus(const MeasuredNames& names) : names_(names) {}

  /// nullptr for a GPU without constants.
  const GpuSpec* find(const std::string& measured_name) {
    const auto name = names_.gpus.find(measured_name);
    if (name == names_.gpus.end()) return nullptr;
    const auto known = specs_.find(name->second);
    if (known != specs_.end()) return &known->second;
    const auto file = platforms_directory() / "gpus" / (name->second + ".json");
    return &specs_.emplace(name->second, read_gpu_spec(file)).first->second;
  }

 private:
  const MeasuredNames& names_;
  std::map<std::string, GpuSpec> specs_;
};

std::optional<GemmLayout> parse_layout(const MeasuredRow& row) {
  const std::string layout = row.text("transA") + row.text("transB");
  if (layout == "TN") return GemmLayout::tn;
  if (layout == "NN") return GemmLayout::nn;
  if (layout == "NT") return GemmLayout::nt;
  return std::nullopt;
}

GemmShape read_shape(const MeasuredRow& row, GemmLayout layout) {
  return {.layout = layout,
          .m = row.positive_integer("m"),
          .n = row.positive_integer("n"),
          .k = row.positive_integer("k"),
          .batch = row.positive_integer("batch")};
}

Seconds gemm_ideal(const GemmShape& shape, const GpuSpec& gpu) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k), batch = static_cast<double>(shape.batch);
  return std::max(2 * batch * m * n * k / gpu.peak_flops,
                  2 * batch * (m * k + k * n + m * n) / gpu.memory_bandwidth);
}

/// Why the row is outside what the models describe; empty when it is inside.
std::string attention_reason(const MeasuredRow& row, const GpuSpec* gpu) {
  if (gpu == nullptr) return fmt::format("no constants of GPU {}", row.text("gpu"));
  if (row.text("time_us").empty()) return "no time";
  if (row.text("causal") != "1") return "no causal mask: not modelled";
  if (row.text("heads") != row.text("kv_heads")) return "grouped queries: not modelled";
  const std::string& kernel = row.text("impl");
  const bool hopper = gpu->multiprocessors == 132;
  if (kernel != "PyTorch unfused" && kernel != (hopper ? "FA3" : "FA2")) {
    return fmt::format("{} on {}: the constants are of another kernel", kernel, row.text("gpu"));
  }
  return "";
}

Seconds attention_time(const MeasuredRow& row, const AttentionShape& shape, const GpuSpec& gpu) {
  const bool unfused = row.text("impl") == "PyTorch unfused";
  const std::string& pass = row.text("pass");
  Seconds time = 0;
  if (pass.starts_with("fwd")) {
    time += unfused ? unfused_attention_forward_time(shape, gpu, ClockMode::benchmark)
                    : flash_attention_forward_time(shape, gpu);
  }
  if (pass.ends_with("bwd")) {
    time += unfused ? unfused_attention_backward_time(shape, gpu, ClockMode::benchmark)
                    : flash_attention_backward_time(shape, gpu);
  }
  return time;
}

/// 2 S^2 d for each head forward, causal; 2.5 times that backward.
Flops attention_flops(const std::string& pass, const AttentionShape& shape) {
  const double sequence = static_cast<double>(shape.sequence);
  const double forward = 2.0 * static_cast<double>(shape.batch) * sequence * sequence *
                         static_cast<double>(shape.head_dim);
  return forward * ((pass.starts_with("fwd") ? 1.0 : 0.0) + (pass.ends_with("bwd") ? 2.5 : 0.0));
}

}  // namespace

ComparisonSet compare_gemms(const MeasuredTable& table, const MeasuredNames& names) {
  Gpus gpus(names);
  ComparisonSet set;
  for (const MeasuredRow& row : table.rows()) {
    const GpuSpec* gpu = gpus.find(row.text("gpu"));
    const std::optional<GemmLayout> layout = parse_layout(row);
    if (gpu == nullptr) {
      ++set.left_out[fmt::format("no constants of GPU {}", row.text("gpu"))];
    } else if (row.text("dtype") != "bf16" && row.text("dtype") != "fp16") {
      ++set.left_out[fmt::format("type {}: not modelled", row.text("dtype"))];
    } else if (!layout || row.text("m").empty() || row.text("time_us").empty()) {
      ++set.left_out["no layout, sizes or time"];
    } else {
      const GemmShape shape = read_shape(row, *layout);
      set.rows.push_back(
          {.part = fmt::format("{}, {}", row.text("gpu"), row.text("source")),
           .contest = "",
           .label = fmt::format("{}{} {}x{}x{} batch {}", row.text("transA"), row.text("transB"),
                                shape.m, shape.n, shape.k, shape.batch),
           .measured = row.positive_number("time_us") * kMicro,
           .predicted = gemm_time(shape, *gpu, ClockMode::benchmark),
           .ideal = gemm_ideal(shape, *gpu)});
    }
  }
  return set;
}

ComparisonSet compare_attention(const MeasuredTable& table, const MeasuredNames& names) {
  Gpus gpus(names);
  ComparisonSet set;
  for (const MeasuredRow& row : table.rows()) {
    const GpuSpec* gpu = gpus.find(row.text("gpu"));
    const std::string reason = attention_reason(row, gpu);
    if (!reason.empty()) {
      ++set.left_out[reason];
      continue;
    }
    const AttentionShape shape = {
        .batch = row.positive_integer("batch") * row.positive_integer("heads"),
        .sequence = row.positive_integer("seqlen"),
        .head_dim = row.positive_integer("head_dim")};
    set.rows.push_back(
        {.part = fmt::format("{}, {} {}", row.text("gpu"), row.text("impl"), row.text("pass")),
         .contest = "",
         .label = fmt::format("{} heads in all, sequence {}, head dimension {}", shape.batch,
                              shape.sequence, shape.head_dim),
         .measured = row.positive_number("time_us") * kMicro,
         .predicted = attention_time(row, shape, *gpu),
         .ideal = attention_flops(row.text("pass"), shape) / gpu->peak_flops});
  }
  return set;
}

}  // namespace fourfold::sim
