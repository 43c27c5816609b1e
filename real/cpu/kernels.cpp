#include "real/cpu/kernels.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real::cpu {

void check_processor() {
#ifdef __AVX2__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return;
  throw BackendError(
      "this processor has no AVX2, which the cpu backend was compiled for; configure with "
      "-DFOURFOLD_CPU_ARCH=x86-64");
#endif
}

void run_kernel(const Kernel& kernel, CpuEngine& engine) {
  try {
    std::visit([&](const auto& alternative) { run(alternative, engine); }, kernel);
  } catch (const ShapeError& error) {
    throw ShapeError(fmt::format("{}: {}", name_of(kernel), error.what()));
  }
}

}  // namespace fourfold::real::cpu
