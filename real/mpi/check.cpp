#include "real/mpi/check.hpp"

#include <array>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace fourfold::real {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw BackendError(
      fmt::format("{}: {}", call, std::string_view(text.data(), static_cast<std::size_t>(length))));
}

}  // namespace fourfold::real
