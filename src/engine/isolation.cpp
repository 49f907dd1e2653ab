// How executions are kept apart: in one process whose memory is reset, or in a child process each. `auto` tries.
#include <sys/wait.h>

#include <cstdio>
#include <cstring>

#include "base/hash.hpp"
#include "engine/child_process.hpp"
#include "engine/worker.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::Isolation;

namespace {
// More than this to compare and copy after each execution costs more than a fork.
constexpr std::size_t largest_snapshot = std::size_t{64} << 20;
}  // namespace

Worker::Fingerprint Worker::fingerprint(std::uint64_t number) {
  prepare_output();
  check_->begin_execution(number);
  engine_.run(number, hooks_.run_main, hooks_.argument);
  hooks_.flush_output();
  const auto output = take_output();
  const Fingerprint result{engine_.graph_hash(), graph::values_hash(engine_.graph()),
                           base::hash_bytes(output.data(), output.size()), engine_.execution().timed_out()};
  reset();
  return result;
}

/// Runs one seed twice under reset, in a child, so that whatever goes wrong leaves nothing behind.
Isolation Worker::choose_isolation(std::uint64_t number) {
  const Isolation wanted = channel_.request.run.isolation;
  if (wanted != Isolation::automatic) return wanted;
  if (is_search_) return Isolation::reset;  // what is left to explore is in this process
  char* reason = channel_.progress.isolation_reason;
  const std::size_t room = sizeof channel_.progress.isolation_reason;
  const std::size_t size = snapshot_.size();
  if (size > largest_snapshot) {
    std::snprintf(reason, room, "the program's memory (%zu MiB) is too large to be reset after each execution",
                  size >> 20);
    return Isolation::fork;
  }
  // The rest of --time is for executions.
  const std::uint64_t now = monotonic_now(), end = channel_.request.deadline;
  const std::uint64_t deadline = end == 0 ? 0 : now + (end > now ? (end - now) / 2 : 0);
  const auto probe = [&] {
    engine_.findings().mute(true);
    engine_.decider().use(*check_);
    const Fingerprint first = fingerprint(number);
    const Fingerprint second = fingerprint(number);
    if (first.timed_out || second.timed_out)
      std::snprintf(reason, room,
                    "whether the program can be run again in one process is not known, since it made no visible "
                    "operation for as long as --timeout allows");
    else if (const auto at = check_->differs_at())
      std::snprintf(reason, room,
                    "the same seed met another choice (decision %zu) when the program was run again in one process",
                    *at + 1);
    else if (first.graph != second.graph)
      std::snprintf(reason, room, "the same seed gave another execution when the program was run again in one process");
    else if (first.values != second.values)
      std::snprintf(reason, room, "the same seed met other values when the program was run again in one process");
    else if (first.output != second.output)
      std::snprintf(reason, room, "the same seed gave other output when the program was run again in one process");
  };
  const std::optional<int> status = run_in_child(probe, deadline);
  if (!status) return Isolation::reset;
  if (deadline != 0 && monotonic_now() >= deadline) {
    std::snprintf(reason, room,
                  "whether the program can be run again in one process was not known after half of --time");
    return Isolation::fork;
  }
  if (WIFSIGNALED(*status))
    std::snprintf(reason, room, "running the program twice in one process ended with signal %d (%s)", WTERMSIG(*status),
                  ::strsignal(WTERMSIG(*status)));
  if (channel_.progress.failure.load(std::memory_order_acquire) != Failure::none) finish();
  return reason[0] == '\0' ? Isolation::reset : Isolation::fork;
}

}  // namespace heddle::engine
