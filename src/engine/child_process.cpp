#include "engine/child_process.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "engine/real.hpp"

namespace heddle::engine {

namespace {
pid_t running_child = 0;
}  // namespace

pid_t fork_child() {
  const pid_t child = real().fork();
  if (child == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return child;
}

int wait_for_child(pid_t child) {
  running_child = child;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running_child = 0;
  return status;
}

void end_child() { exit_process(0); }

bool forward_to_child(int signal) {
  if (running_child == 0) return false;
  ::kill(running_child, signal);
  return true;
}

}  // namespace heddle::engine
