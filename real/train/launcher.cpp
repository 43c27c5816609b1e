#include "real/train/launcher.hpp"

#include <cstdlib>
#include <initializer_list>

namespace fourfold::real {
namespace {

/// The first of the environment variables that is set, as a number.
int environment_number(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return otherwise;
}

}  // namespace

// OpenMPI; MPICH and its relatives; Slurm's job steps.

int launcher_rank() {
  return environment_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0);
}

int launcher_size() {
  return environment_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1);
}

}  // namespace fourfold::real
