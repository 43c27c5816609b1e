#include <fmt/format.h>

#include "sim/machine.hpp"

namespace fourfold::sim {
namespace {

/// Each GPU over its NIC; GPUs that share a NIC stand over the same number.
std::string node_diagram(const Machine& machine) {
  std::string gpus, wires, nics;
  for (std::size_t i = 0; i < machine.gpu_to_nic.size(); ++i) {
    const bool last = i + 1 == machine.gpu_to_nic.size();
    gpus += fmt::format("{:<6}{}", fmt::format("gpu {}", i),
                        last           ? ""
                        : machine.mesh ? "--- "
                                       : "=== ");
    wires += fmt::format("{:<10}", "  |");
    nics += fmt::format("{:<10}", fmt::format("nic {}", machine.gpu_to_nic[i]));
  }
  return fmt::format("    {}  {} GB/s each, {}\n    {}\n    {}{} GB/s each\n", gpus,
                     machine.port_bandwidth / kGiga,
                     machine.mesh ? "shared by links to each other GPU" : "into a switch", wires,
                     nics, machine.nic_bandwidth / kGiga);
}

/// The width of the links between each two GPUs, and each GPU's NIC.
std::string mesh_diagram(const Machine& machine) {
  const auto gpus = static_cast<std::size_t>(machine.gpus_per_node);
  std::vector<std::vector<std::string>> widths(gpus, std::vector<std::string>(gpus, "."));
  for (const GpuLink& link : machine.mesh_links.links()) {
    const auto first = static_cast<std::size_t>(link.first);
    const auto second = static_cast<std::size_t>(link.second);
    widths[first][second] = widths[second][first] = fmt::format("{:g}", link.bandwidth / kGiga);
  }
  std::string text = "    links, GB/s";
  for (std::size_t gpu = 0; gpu < gpus; ++gpu)
    text += fmt::format("{:>6}", fmt::format("gpu {}", gpu));
  text += "\n";
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    text += fmt::format("    {:<11}", fmt::format("gpu {}", gpu));
    for (const std::string& width : widths[gpu]) text += fmt::format("{:>6}", width);
    text += fmt::format("   nic {}\n", machine.gpu_to_nic[gpu]);
  }
  return text + fmt::format("    NICs of {:g} GB/s; ports of {:g} GB/s\n",
                            machine.nic_bandwidth / kGiga, machine.port_bandwidth / kGiga);
}

}  // namespace

std::string Machine::summary() const {
  std::string text = fmt::format("{}: {}\n\n", name, description);
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<12}{}\n", what, value);
  };
  line("size", fmt::format("{} GPUs: {} nodes of {}", gpus, nodes(), gpus_per_node));
  line("gpu", gpu.name);
  line("",
       fmt::format("{:.1f} TFLOP/s bf16 ({:.1f} reached by large GEMMs), {} multiprocessors",
                   gpu.peak_flops / kTera, gpu.empirical_peak_flops / kTera, gpu.multiprocessors));
  line("", fmt::format("{:.1f} GiB at {:.0f} GB/s", static_cast<double>(gpu.memory) / kGiB,
                       gpu.memory_bandwidth / kGiga));
  line("", fmt::format("kernels {:.2f} times as long as on one of them, on all {} together",
                       slowdown(fleet, gpus), gpus));
  line("in the node", fmt::format("{:.0f} GB/s per GPU and direction", port_bandwidth / kGiga));
  line("network", fmt::format("{} NICs a node, {:.0f} GB/s each and per direction", nics_per_node,
                              nic_bandwidth / kGiga));
  line("library", library.name);
  line("platform", file.string());
  return text + "\n  A node:\n" + (mesh_links.empty() ? node_diagram(*this) : mesh_diagram(*this));
}

}  // namespace fourfold::sim
