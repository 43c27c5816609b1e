#include "sim/cli/gpu_options.hpp"

namespace fourfold::sim {

namespace po = boost::program_options;

void add_gpu_options(po::options_description& options) {
  options.add_options()(
      "tune-kernels",
      "every matrix product in its fastest layout (NN, NT, TN), operands copied if "
      "need be, as AxoNN's tuner does");
  options.add_options()(
      "gpu-spread", po::value<std::string>()->value_name("FRACTION"),
      "standard deviation of the GPUs' speeds, the slowest of which sets the pace; "
      "the machine's if not given, 0 = all alike");
}

void apply_gpu_options(const Arguments& arguments, Machine& machine) {
  machine.gpu.tunes_products = arguments.has("tune-kernels");
  machine.fleet.spread = arguments.number("gpu-spread", {0.0, 1.0}, machine.fleet.spread);
}

}  // namespace fourfold::sim
