// Variables of the environment by which mpirun, mpiexec and srun tell a process about its rank. The program under test
// does not get them: it runs in the same environment wherever it is started.
#pragma once

#include <string_view>

namespace heddle::campaign {

/// One of these has the rank.
inline constexpr const char* open_mpi_rank = "OMPI_COMM_WORLD_RANK";
inline constexpr const char* pmi_rank = "PMI_RANK";
inline constexpr const char* pmix_rank = "PMIX_RANK";

/// Whether a launcher that sets such variables started this process.
bool has_launcher();
/// Whether the variable, as NAME=VALUE, is one of them.
bool is_launcher_variable(std::string_view entry);

}  // namespace heddle::campaign
