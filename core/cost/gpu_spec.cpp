#include "core/cost/gpu_spec.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/json_reader.hpp"

namespace fourfold {
namespace {

constexpr double kLargestMemory_GiB = 1e6;
constexpr std::array<const char*, kGemmLayoutCount> kLayoutNames = {"nn", "nt", "tn"};

GemmConstants read_gemm_constants(JsonObject file) {
  GemmConstants constants;
  constants.efficiency = file.positive_number("efficiency");
  constants.tile_loss = file.non_negative_number("tile_loss");
  constants.tile_time = file.non_negative_number("tile_time_us") * kMicro;
  constants.wave_quantisation = file.fraction("wave_quantisation");
  constants.memory_efficiency = file.positive_fraction("memory_efficiency");
  constants.launch_time = file.non_negative_number("launch_us") * kMicro;
  constants.overlap_exponent = file.positive_number("overlap_exponent");
  if (constants.overlap_exponent < 1) file.fail("overlap_exponent", "must be at least 1");
  constants.reduction_time = file.non_negative_number("reduction_us") * kMicro;
  constants.reduction_bandwidth = file.positive_number("reduction_bandwidth_TBps") * kTera;
  constants.sustained_clock_loss = file.non_negative_number("sustained_clock_loss");
  constants.boost_time = file.positive_number("boost_time_us") * kMicro;
  file.finish();
  return constants;
}

/// One object of constants for all layouts, "all", or one each; and a scale for each.
void read_gemm(JsonObject file, GpuSpec& gpu) {
  JsonObject scale = file.object("scale");
  for (std::size_t i = 0; i < kLayoutNames.size(); ++i) {
    const std::string layout = kLayoutNames[i];
    gpu.gemm[i] = read_gemm_constants(file.object(file.has(layout) ? layout : "all"));
    gpu.gemm[i].scale = scale.positive_number(layout);
  }
  scale.finish();
  const std::vector<std::int64_t> rows = file.integers("tile_rows");
  const std::vector<std::int64_t> columns = file.integers("tile_columns");
  if (rows.empty() || rows.size() != columns.size()) {
    file.fail("tile_rows", "needs as many members as tile_columns, and at least one");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] <= 0 || columns[i] <= 0) file.fail("tile_rows", "tiles must be positive");
    gpu.tiles.push_back({rows[i], columns[i]});
  }
  file.finish();
}

GemmLayout read_layout(JsonObject& file, const std::string& key) {
  const std::string name = file.string(key);
  const auto found = std::ranges::find(kLayoutNames, name);
  if (found == kLayoutNames.end()) file.fail(key, "must be nn, nt or tn");
  return static_cast<GemmLayout>(found - kLayoutNames.begin());
}

std::vector<SlowProduct> read_slow_products(JsonObject& file) {
  std::vector<SlowProduct> products;
  for (JsonObject& entry : file.objects("slow_products")) {
    SlowProduct product;
    product.layout = read_layout(entry, "layout");
    product.m = entry.count("m");
    product.k = entry.count("k");
    product.factor = entry.positive_number("factor");
    entry.finish();
    products.push_back(product);
  }
  return products;
}

AttentionConstants read_attention(JsonObject file) {
  AttentionConstants constants;
  constants.rate_64 = file.positive_number("rate_head_dim_64_TFLOPS") * kTera;
  constants.rate_128 = file.positive_number("rate_head_dim_128_TFLOPS") * kTera;
  constants.rate_256 = file.positive_number("rate_head_dim_256_TFLOPS") * kTera;
  constants.half_sequence = file.positive_number("half_sequence");
  constants.exponent = file.positive_number("exponent");
  constants.launch_time = file.non_negative_number("launch_us") * kMicro;
  file.finish();
  return constants;
}

MemoryBoundConstants read_memory_bound(JsonObject file) {
  MemoryBoundConstants constants;
  constants.elementwise = file.positive_fraction("elementwise");
  constants.reduction = file.positive_fraction("reduction");
  constants.layer_norm_backward = file.positive_fraction("layer_norm_backward");
  constants.softmax = file.positive_fraction("softmax");
  constants.embedding = file.positive_fraction("embedding");
  constants.optimizer = file.positive_fraction("optimizer");
  constants.launch_time = file.non_negative_number("launch_us") * kMicro;
  file.finish();
  return constants;
}

}  // namespace

Flops GpuSpec::peak_flops_of(DType dtype) const {
  switch (dtype) {
    case DType::float64:
      return peak_flops_fp64;
    case DType::float32:
    case DType::int32:
      return peak_flops_fp32;
    case DType::bfloat16:
      return peak_flops;
  }
  return peak_flops;
}

GpuSpec read_gpu_spec(const std::filesystem::path& path) {
  JsonObject file = read_json(path);
  GpuSpec gpu;
  gpu.name = file.string("name");
  gpu.framework = file.string("framework", "");
  gpu.multiprocessors = file.count("multiprocessors");
  JsonObject peak = file.object("peak_TFLOPS");
  gpu.peak_flops = peak.positive_number("bf16") * kTera;
  gpu.peak_flops_fp32 = peak.positive_number("fp32") * kTera;
  gpu.peak_flops_fp64 = peak.positive_number("fp64") * kTera;
  peak.finish();
  gpu.empirical_peak_flops = file.positive_number("empirical_peak_TFLOPS") * kTera;
  const double memory_GiB = file.positive_number("memory_GiB");
  if (memory_GiB > kLargestMemory_GiB)
    file.fail("memory_GiB", "is more than a million; give GiB, not bytes");
  gpu.memory = static_cast<Bytes>(memory_GiB * kGiB);
  gpu.memory_bandwidth = file.positive_number("memory_bandwidth_GBps") * kGiga;
  read_gemm(file.object("gemm"), gpu);
  gpu.attention_forward = read_attention(file.object("attention_forward"));
  gpu.attention_backward = read_attention(file.object("attention_backward"));
  gpu.memory_bound = read_memory_bound(file.object("memory_bound"));
  gpu.overlap_slowdown = file.fraction("overlap_slowdown", 0.0);
  if (file.has("slow_products")) gpu.slow_products = read_slow_products(file);
  file.finish();
  return gpu;
}

}  // namespace fourfold
