#pragma once

#include <mpi.h>

namespace fourfold::real {

/// Throws BackendError with MPI's own words unless `code` is MPI_SUCCESS. `call` names the function.
void check_mpi(int code, const char* call);

}  // namespace fourfold::real
