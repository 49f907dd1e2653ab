#include "campaign/workers/launcher_variables.hpp"

#include <cstdlib>

namespace heddle::campaign {

namespace {

/// Launchers of other kinds may set these variables to something else.
bool is_number(const char* text) {
  return text != nullptr && *text != '\0' &&
         std::string_view(text).find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool has_launcher() {
  for (const char* variable : {open_mpi_rank, pmi_rank, pmix_rank})
    if (is_number(std::getenv(variable))) return true;
  return false;
}

bool is_launcher_variable(std::string_view entry) {
  constexpr std::string_view prefixes[] = {
      "OMPI_",
      "PMIX_",
      "PMI_",
      "ORTE_",
      "OPAL_",
      "PRTE_",
      "HYDI_",
      "HYDRA_",
      "MPI_LOCAL",
      "SLURMD_",
      "SLURM_PROCID=",
      "SLURM_LOCALID=",
      "SLURM_NODEID=",
      "SLURM_GTIDS=",
      "SLURM_TASK_PID=",
      "SLURM_TOPOLOGY_ADDR",
      "GFORTRAN_UNBUFFERED_PRECONNECTED=",
      "HFI_NO_BACKTRACE=",
      "IPATH_NO_BACKTRACE=",
      "MPIR_CVAR_",
      "SLURM_LAUNCH_NODE_IPADDR=",
      "SLURM_STEP_",
  };
  for (const std::string_view prefix : prefixes)
    if (entry.starts_with(prefix)) return true;
  return false;
}

}  // namespace heddle::campaign
