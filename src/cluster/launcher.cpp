#include "cluster/launcher.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "campaign/workers/launcher_variables.hpp"

namespace heddle::cluster {

namespace {

std::optional<std::size_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view view(text);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
  if (error != std::errc{} || end != view.data() + view.size()) return std::nullopt;
  return number;
}

/// The variables of one launcher.
struct Convention {
  const char* rank;
  const char* size;
  const char* flavour;
  bool ends_job;
};
// mpirun of Open MPI sets the first pair, and PMIX_RANK, too. mpiexec of MPICH sets PMI_RANK and PMI_SIZE. srun sets
// PMIX_RANK with --mpi=pmix, and PMI_RANK with --mpi=pmi2, also for a single task; tasks_of_step is how many there are.
constexpr const char* tasks_of_step = "SLURM_STEP_NUM_TASKS";
constexpr Convention conventions[] = {
    {campaign::open_mpi_rank, "OMPI_COMM_WORLD_SIZE", "openmpi", true},
    {campaign::pmi_rank, "PMI_SIZE", "mpich", false},
    {campaign::pmix_rank, tasks_of_step, "openmpi", false},
};

}  // namespace

Result<std::optional<Launched>> find_launcher(bool is_shard) {
  const char* chosen = std::getenv("HEDDLE_MPI");
  const std::string_view choice = chosen == nullptr ? "" : chosen;
  if (choice == "none") return std::optional<Launched>{};
  if (!choice.empty() && choice != "openmpi" && choice != "mpich")
    return usage_problem(fmt::format("HEDDLE_MPI is '{}'; it can be openmpi, mpich or none", choice));
  for (const Convention& convention : conventions) {
    const auto rank = number_in(convention.rank);
    if (!rank) continue;
    const std::string flavour(choice.empty() ? convention.flavour : choice);
    const auto size = number_in(convention.size);
    return std::optional(
        Launched{*rank, size ? *size : number_in(tasks_of_step).value_or(0), flavour, convention.ends_job});
  }
  // Inside a job step of Slurm that has no MPI.
  const std::size_t tasks = std::getenv("SLURM_STEP_ID") == nullptr ? 1 : number_in(tasks_of_step).value_or(1);
  if (tasks > 1 && !is_shard && choice.empty())
    return test_problem(
        fmt::format("srun started {} tasks without MPI, so each would run the whole campaign; start them with "
                    "srun --mpi=pmix or --mpi=pmi2, give each its --shard, or set HEDDLE_MPI=none",
                    tasks));
  return std::optional<Launched>{};
}

}  // namespace heddle::cluster
