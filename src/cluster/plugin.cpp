#include "cluster/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <csignal>
#include <filesystem>

namespace heddle::cluster {

namespace {

const char* package_of(const std::string& flavour) { return flavour == "mpich" ? "libmpich-dev" : "libopenmpi-dev"; }

/// MPI may start threads. They must not take signals that the campaign waits for.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, signal);
    sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Result<std::unique_ptr<transport::Transport>> open_transport(const Launched& launched, const std::string& folder) {
  const std::string name = fmt::format("libheddle_mpi_{}.so", launched.flavour);
  const std::string path = (std::filesystem::path(folder) / name).string();
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return test_problem(fmt::format(
        "heddle was started as one of {} processes under MPI, but it was built without its plugin for "
        "this MPI, {}; install {} and build heddle again, choose another MPI with HEDDLE_MPI=openmpi or "
        "mpich, or set HEDDLE_MPI=none to run without",
        launched.size == 0 ? "several" : std::to_string(launched.size), path, package_of(launched.flavour)));
  const BlockedSignals blocked;
  // Components of MPI look for its symbols among the global ones.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return test_problem(fmt::format("cannot load the plugin for MPI: {}", ::dlerror()));
  auto* const open = reinterpret_cast<transport::OpenTransport*>(::dlsym(library, transport::open_function));
  if (open == nullptr) return test_problem(fmt::format("{} is no plugin of this heddle; build it again", path));
  std::string problem;
  std::unique_ptr<transport::Transport> transport(open(problem));
  if (!transport) return test_problem(problem);
  return transport;
}

}  // namespace heddle::cluster
