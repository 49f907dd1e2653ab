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
#include "run/specification.hpp"

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

/// The finding about a process that ended in `execution` without a word: killed by a signal, or by a call of the kernel
/// that heddle does not see, such as the C library's own exit().
struct ProcessEndFinding {
  ProcessEndFinding(int wait_status, std::uint64_t execution) {
    const ProcessEnd end(wait_status);
    if (WIFSIGNALED(wait_status)) {
      std::snprintf(message, sizeof message, "the program was %s in execution %llu%s", end.text,
                    static_cast<unsigned long long>(execution),
                    WTERMSIG(wait_status) == SIGKILL ? ", perhaps because the machine ran out of memory" : "");
    } else {
      kind = FindingKind::exit_status;
      exit_status = static_cast<std::uint8_t>(WEXITSTATUS(wait_status));
      std::snprintf(message, sizeof message, "the program %s", end.text);
    }
    key = key_of_cause(kind, end.text);
  }
  /// False: the program ended in an ordinary way.
  bool is_finding(run::ExitStatus wanted) const {
    return kind != FindingKind::exit_status || (exit_status != 0 && wanted == run::ExitStatus::zero);
  }

  FindingKind kind = FindingKind::crash;
  std::uint8_t exit_status = 0;
  std::uint64_t key;
  char message[224];
};

}  // namespace heddle::channel
