#include "engine/isolation/child_process.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "engine/isolation/real.hpp"

namespace heddle::engine {

namespace {
pid_t running_child = 0;
void (*after_fork)() = nullptr;
}  // namespace

pid_t fork_child() {
  const pid_t child = real().fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (after_fork != nullptr) after_fork();
  return 0;
}

pid_t this_process() { return static_cast<pid_t>(real().syscall(SYS_getpid)); }

void set_after_fork(void (*function)()) { after_fork = function; }

std::uint64_t monotonic_now() {
  timespec now{};
  real().clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000ULL + static_cast<std::uint64_t>(now.tv_nsec);
}

int wait_for_child(pid_t child, std::uint64_t deadline) {
  running_child = child;
  int status = 0;
  pid_t ended = 0;
  while (deadline != 0 && (ended = ::waitpid(child, &status, WNOHANG)) == 0) {
    if (monotonic_now() >= deadline) {
      ::kill(child, SIGKILL);
      break;
    }
    const timespec interval{0, 500'000};
    real().syscall(SYS_nanosleep, &interval, nullptr);
  }
  while (ended != child && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
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
