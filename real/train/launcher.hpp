#pragma once
// What mpirun or srun tells a process before MPI is initialised. A process that was started by hand is rank 0 of 1.

namespace fourfold::real {

int launcher_rank();
int launcher_size();

}  // namespace fourfold::real
