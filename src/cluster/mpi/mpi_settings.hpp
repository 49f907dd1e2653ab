// What heddle wants of MPI's own settings, which are variables of the environment. A value that the user has set stays.
#pragma once

#include <cstdlib>

namespace heddle::mpi {

struct Setting {
  const char* name;
  const char* value;
};

inline constexpr Setting settings[] = {
    // Open MPI would copy between processes with a system call that containers forbid, and warn each time. Messages
    // here are small.
    {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
    // Pieces of messages are sent at once up to this size; the limit is 4 kB otherwise. Open MPI 5 calls it sm.
    {"OMPI_MCA_btl_vader_eager_limit", "32768"},
    {"OMPI_MCA_btl_sm_eager_limit", "32768"},
    // No call here spins, so none has to give the processor away. mpirun --oversubscribe would make each of them do so.
    {"OMPI_MCA_mpi_yield_when_idle", "0"},
    // Between fork and exec, a worker makes system calls only.
    {"OMPI_MCA_mpi_warn_on_fork", "0"},
};

/// To be called before MPI_Init.
inline void set_defaults() {
  for (const Setting& setting : settings) ::setenv(setting.name, setting.value, 0);
}

}  // namespace heddle::mpi
