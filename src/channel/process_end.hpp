// The message and the key of a finding about a process that ended in the middle of an execution. Under isolation fork
// the worker notices the end of its child; otherwise the driver notices the end of the worker. Both use these
// functions, so the same death is the same finding.
#pragma once

#include <signal.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/hash.hpp"
#include "channel/finding_kind.hpp"

namespace heddle::channel {

/// "killed by signal 9 (Killed)" or "ended with exit status 3", from the status that wait() gives.
struct ProcessEnd {
  explicit ProcessEnd(int wait_status) {
    if (WIFSIGNALED(wait_status)) {
      const int signal = WTERMSIG(wait_status);
      std::snprintf(text, sizeof text, "killed by signal %d (%s)", signal, ::strsignal(signal));
    } else {
      std::snprintf(text, sizeof text, "ended with exit status %d", WEXITSTATUS(wait_status));
    }
  }
  char text[96];
};

/// A finding that has no place in the program is identified by its kind and its cause.
inline std::uint64_t key_of_cause(FindingKind kind, std::string_view cause) {
  return base::hash_text(cause, base::hash_text(name_of(kind)));
}

/// The crash of the process that ran `execution`.
struct ProcessDeath {
  ProcessDeath(int wait_status, std::uint64_t execution) {
    const ProcessEnd end(wait_status);
    const auto number = static_cast<unsigned long long>(execution);
    key = key_of_cause(FindingKind::crash, end.text);
    if (!WIFSIGNALED(wait_status)) {
      std::snprintf(message, sizeof message, "the program %s in the middle of execution %llu, past all exit handlers",
                    end.text, number);
      return;
    }
    std::snprintf(message, sizeof message, "the program was %s in execution %llu%s", end.text, number,
                  WTERMSIG(wait_status) == SIGKILL ? ", perhaps because the machine ran out of memory" : "");
  }
  std::uint64_t key;
  char message[224];
};

}  // namespace heddle::channel
