#include "real/reference/kernels.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {

void run_kernel(const Kernel& kernel) {
  try {
    std::visit([](const auto& alternative) { run(alternative); }, kernel);
  } catch (const ShapeError& error) {
    throw ShapeError(fmt::format("{}: {}", name_of(kernel), error.what()));
  }
}

}  // namespace fourfold::real
