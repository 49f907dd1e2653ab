// The kinds of findings and of limits, as workers and the driver exchange them. The names are part of the JSON report,
// of trace files and of the keys of findings: they must not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::channel {

enum class FindingKind : std::uint8_t {
  race,
  assertion,
  crash,
  deadlock,
  livelock,
  use_after_free,
  double_free,
  leak,
  stack_overflow,
  misuse,  ///< of a thread or a synchronisation object: POSIX leaves undefined what happens
  uncaught_exception,
  exit_status,      ///< the program ended with a status other than 0
  limit,            ///< the execution was cut off; LimitKind says by which limit. Not a bug of the program.
  output,           ///< --show-output: what an execution printed. Not a bug of the program.
  sc_violation,     ///< heddle predict: an execution had a predicted cycle. Not a bug by itself.
  lock_order,       ///< threads take the same locks in different orders, so that they may deadlock
  descriptor_race,  ///< a descriptor is closed, and used or closed by another thread, and nothing orders the two
  thread_leak,      ///< --leaks: a thread was neither joined nor detached
  signal_unsafe,    ///< a handler of a signal called a function that is not safe there
  signal_errno,     ///< a handler of a signal changed errno
  linearizability,  ///< no order of the calls of a data structure explains what they returned
};

/// Which limit a finding of kind `limit` reached. The reports tell from it which option raises the limit.
enum class LimitKind : std::uint8_t {
  none,            ///< the finding is not a limit
  events,          ///< --max-events
  memory,          ///< --max-memory
  address_space,   ///< the address space that the runtime reserved for its own records
  timeout,         ///< --timeout: the watchdog saw no visible operation for that long
  check_timeout,   ///< the option `timeout` of a heddle::check
  unseen,          ///< exhaustive search: a loop that seemed to wait made progress that heddle does not see
  hang,            ///< --timeout passed, and the worker did not answer the watchdog's signal either
  process_memory,  ///< the worker's process used several times as much memory as --max-memory allows for the heap
  output,          ///< the program printed more than the driver keeps room for
};

inline constexpr std::string_view finding_kind_names[] = {
    "race",          "assert",       "crash",           "deadlock",   "livelock",           "use-after-free",
    "double-free",   "leak",         "stack-overflow",  "misuse",     "uncaught-exception", "exit-status",
    "limit",         "output",       "sc-violation",    "lock-order", "descriptor-race",    "thread-leak",
    "signal-unsafe", "signal-errno", "linearizability",
};
static_assert(std::size(finding_kind_names) == static_cast<std::size_t>(FindingKind::linearizability) + 1);

constexpr std::string_view name_of(FindingKind kind) { return finding_kind_names[static_cast<std::size_t>(kind)]; }

constexpr bool is_bug(FindingKind kind) {
  return kind != FindingKind::limit && kind != FindingKind::output && kind != FindingKind::sc_violation;
}

/// A data race makes the rest of an execution undefined, so a finding of such a kind may only be its consequence.
constexpr bool may_follow_from_race(FindingKind kind) {
  return kind == FindingKind::assertion || kind == FindingKind::crash || kind == FindingKind::deadlock ||
         kind == FindingKind::livelock || kind == FindingKind::double_free || kind == FindingKind::misuse ||
         kind == FindingKind::uncaught_exception || kind == FindingKind::exit_status ||
         kind == FindingKind::linearizability;
}

}  // namespace heddle::channel
