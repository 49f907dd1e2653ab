// Who started this process: mpirun, mpiexec and srun say so in the environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace heddle::cluster {

/// This process as one of several that a launcher started together.
struct Launched {
  std::size_t rank = 0;
  std::size_t size = 1;  ///< 0: the launcher does not say
  std::string flavour;   ///< of MPI: "openmpi" or "mpich"
  /// Whether the launcher ends all processes if one ends with an error before MPI has started.
  bool ends_job = false;
  bool is_single() const { return size == 1; }
};

/// Nothing: no launcher of MPI started this process, or HEDDLE_MPI=none asks not to take part. A problem: several tasks
/// were started, but without a way to talk to each other. `is_shard`: then that is what the user wants.
Result<std::optional<Launched>> find_launcher(bool is_shard);

}  // namespace heddle::cluster
