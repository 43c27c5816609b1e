#include "sim/cli/kernel_profile_option.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "sim/validate/measured_table.hpp"

namespace fourfold::sim {
namespace {

GemmLayout read_layout(const MeasuredRow& row) {
  const std::string& layout = row.choice("layout", {"TN", "NN", "NT"});
  if (layout == "TN") return GemmLayout::tn;
  return layout == "NN" ? GemmLayout::nn : GemmLayout::nt;
}

DType read_dtype(const MeasuredRow& row) {
  try {
    return parse_dtype(row.text("dtype"));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}, dtype: {}", row.place(), error.what()));
  }
}

void add_gemm(const MeasuredRow& row, KernelProfile& profile) {
  profile.add_gemm({.layout = read_layout(row),
                    .dtype = read_dtype(row),
                    .m = row.positive_integer("m"),
                    .n = row.positive_integer("n"),
                    .k = row.positive_integer("k"),
                    .batch = row.positive_integer("batch")},
                   row.positive_number("time_us") * kMicro);
}

void add_attention(const MeasuredRow& row, KernelProfile& profile) {
  const std::int64_t sequence = row.positive_integer("m");
  if (row.positive_integer("n") != sequence) {
    throw ConfigError(fmt::format("{}, n: {} must equal m, the sequence length {}", row.place(),
                                  row.text("n"), sequence));
  }
  profile.add_attention(row.text("kernel"),
                        {.dtype = read_dtype(row),
                         .batch = row.positive_integer("batch"),
                         .sequence = sequence,
                         .head_dim = row.positive_integer("k")},
                        row.positive_number("time_us") * kMicro);
}

}  // namespace

void add_kernel_profile_option(boost::program_options::options_description& options) {
  options.add_options()(
      "kernel-profile", boost::program_options::value<std::string>()->value_name("FILE"),
      "measured times that replace the modelled ones of the same GEMM and attention shapes: CSV "
      "with "
      "the columns kernel, layout, dtype, m, n, k, batch, time_us (core/cost/README.md)");
}

std::shared_ptr<const KernelProfile> read_kernel_profile_option(const Arguments& arguments) {
  if (!arguments.has("kernel-profile")) return nullptr;
  KernelProfile profile;
  const MeasuredTable table(arguments.text("kernel-profile"));
  for (const MeasuredRow& row : table.rows()) {
    if (row.choice("kernel", {"gemm", "attention_forward", "attention_backward"}) == "gemm") {
      add_gemm(row, profile);
    } else {
      add_attention(row, profile);
    }
  }
  return std::make_shared<const KernelProfile>(std::move(profile));
}

}  // namespace fourfold::sim
