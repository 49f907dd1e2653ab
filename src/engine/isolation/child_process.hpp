// Child processes of the worker: one for each execution under fork isolation.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace heddle::engine {

/// Forks. Returns the child's process id to the parent, 0 to the child, and a negative number if the system refuses.
/// The kernel kills the child when this process ends.
pid_t fork_child();
/// The kernel's number of this process.
pid_t this_process();
/// Makes each child of fork_child() call the function first. Children inherit no timers.
void set_after_fork(void (*function)());
/// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t monotonic_now();
/// Waits for the child and returns its status, as wait() has it. Kills the child when monotonic_now() reaches
/// `deadline`; 0: never.
int wait_for_child(pid_t child, std::uint64_t deadline);
/// Ends the child process.
[[noreturn]] void end_child();
/// Passes the signal on to the child that is running, if there is one.
bool forward_to_child(int signal);

/// Runs `body` in a child process, until `deadline` at the latest, and returns the child's wait() status. Returns
/// nothing if the system refuses to fork.
template <typename Body>
std::optional<int> run_in_child(Body body, std::uint64_t deadline = 0) {
  const pid_t child = fork_child();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    body();
    end_child();
  }
  return wait_for_child(child, deadline);
}

}  // namespace heddle::engine
