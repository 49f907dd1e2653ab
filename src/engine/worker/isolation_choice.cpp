#include "engine/worker/isolation_choice.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace heddle::engine {

using channel::Failure;
using channel::Isolation;

namespace {

// More than this to compare and copy after each execution costs more than a fork.
constexpr std::size_t largest_snapshot = std::size_t{64} << 20;

/// An access that the execution made: what it is, where it was made, and its values.
struct Access {
  std::uint64_t name;
  std::uint64_t site;
  graph::Value read;
  graph::Value written;
};

/// What is compared of an execution.
struct Sighting {
  std::uint64_t graph = 0;
  std::span<const Access> accesses;
  std::span<const char> output;
  ReportedFindings findings;
  strategies::Outcome outcome = strategies::Outcome::completed;
  bool timed_out = false;
};

std::span<const Access> accesses_of(const graph::ExecutionGraph& graph, base::Arena& arena) {
  base::ArenaVector<Access> all;
  for (const graph::Event& event : graph.events())
    if (accesses_memory(event.kind) && event.kind != graph::EventKind::init)
      all.push_back(arena, {event.name, event.site, event.read, event.written});
  return all;
}

/// The sentence that tells the user what differed, and the place in the program where it did.
class Difference {
 public:
  Difference(char* text, std::size_t room, std::uint64_t& site) : text_(text), room_(room), site_(site) {}

  /// Describes the first difference, if there is any. `file` is what the executions wrote to; null: none.
  void describe(const Sighting& first, const Sighting& second, std::optional<std::size_t> decision, const char* file) {
    if (first.timed_out || second.timed_out) {
      say("whether the program can be run again in one process is not known, since it made no visible operation for as "
          "long as --timeout allows");
      return;
    }
    if (!compare_accesses(first, second) && !compare_ends(first, second) && !compare_outputs(first, second)) {
      if (decision)
        say("the same seed met another choice (decision %zu) %s", *decision + 1, again);
      else if (first.graph != second.graph)
        say("the same seed gave another execution %s", again);
      else
        return;
    }
    if (file != nullptr) append("; it writes to the file %s", file);
  }

 private:
  static constexpr const char* again = "when the program was run again in one process";

  __attribute__((format(printf, 2, 3))) void say(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text_, room_, format, arguments);
    va_end(arguments);
  }
  __attribute__((format(printf, 2, 3))) void append(const char* format, ...) {
    const std::size_t used = std::strlen(text_);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text_ + used, room_ - used, format, arguments);
    va_end(arguments);
  }

  bool compare_accesses(const Sighting& first, const Sighting& second) {
    const std::size_t count = std::min(first.accesses.size(), second.accesses.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Access &a = first.accesses[i], &b = second.accesses[i];
      if (a.name != b.name) return false;  // the choices or the graph tell more
      if (a.read == b.read && a.written == b.written) continue;
      const bool is_read = a.read != b.read;
      site_ = b.site;
      say("the same seed %s %" PRIu64 " instead of %" PRIu64 " %s", is_read ? "read" : "wrote",
          static_cast<std::uint64_t>(is_read ? b.read : b.written),
          static_cast<std::uint64_t>(is_read ? a.read : a.written), again);
      return true;
    }
    return false;
  }

  bool compare_ends(const Sighting& first, const Sighting& second) {
    if (first.outcome == second.outcome && first.findings.keys == second.findings.keys) return false;
    const char* before = first.findings.first[0] == '\0' ? "without a finding" : first.findings.first;
    const char* after = second.findings.first[0] == '\0' ? "without a finding" : second.findings.first;
    site_ = second.findings.first_site;
    say("the same seed ended differently %s: first %s, then %s", again, before, after);
    return true;
  }

  bool compare_outputs(const Sighting& first, const Sighting& second) {
    const auto [a, b] =
        std::mismatch(first.output.begin(), first.output.end(), second.output.begin(), second.output.end());
    if (a == first.output.end() && b == second.output.end()) return false;
    const auto line_of = [](std::span<const char> text, std::size_t at) {
      std::size_t begin = at, end = at;
      while (begin > 0 && text[begin - 1] != '\n') --begin;
      while (end < text.size() && text[end] != '\n') ++end;
      return text.subspan(begin, std::min<std::size_t>(end - begin, 100));
    };
    const auto at = static_cast<std::size_t>(a - first.output.begin());
    const auto before = line_of(first.output, at), after = line_of(second.output, at);
    say("the same seed printed '%.*s' instead of '%.*s' %s", static_cast<int>(after.size()), after.data(),
        static_cast<int>(before.size()), before.data(), again);
    return true;
  }

  char* text_;
  std::size_t room_;
  std::uint64_t& site_;
};

}  // namespace

/// In a child process, which may use memory that lasts.
void IsolationChoice::compare_two_executions(std::uint64_t number) {
  engine_.findings().mute(true);
  trace::NondeterminismCheck check(*methods_.current().strategy, arenas_.recording);
  engine_.decider().use(check);
  base::Arena& forever = arenas_.forever;
  const auto observe = [&] {
    process_.discard_output();
    check.begin_execution(number);
    Sighting observed;
    observed.outcome = process_.run(number);
    observed.output = forever.copy_array(process_.take_output());
    observed.graph = engine_.graph_hash();
    observed.accesses = accesses_of(engine_.graph(), forever);
    observed.findings = engine_.findings().reported();
    observed.timed_out = engine_.execution().timed_out();
    return observed;
  };
  const Sighting first = observe();
  process_.reset();
  const Sighting second = observe();
  if (const char* library = process_.library_loaded_later()) {
    explain("the program loads the library %.300s (dlopen) and leaves it loaded, and heddle does not reset it",
            library);
    return;
  }
  channel::Progress& progress = channel_.progress;
  std::uint64_t site = 0;
  Difference(progress.isolation_reason, sizeof progress.isolation_reason, site)
      .describe(first, second, check.differs_at(), process_.hooks().written_file());
  progress.isolation_site.store(site, std::memory_order_relaxed);
}

void IsolationChoice::explain(const char* format, ...) {
  char* const reason = channel_.progress.isolation_reason;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(reason, sizeof channel_.progress.isolation_reason, format, arguments);
  va_end(arguments);
}

Isolation IsolationChoice::choose(std::uint64_t number) {
  const Isolation wanted = channel_.request.run.isolation;
  if (wanted != Isolation::automatic) return wanted;
  return compare_in_child(number) == Again::same ? Isolation::reset : Isolation::fork;
}

IsolationChoice::Again IsolationChoice::compare_in_child(std::uint64_t number) {
  if (const std::size_t size = process_.saved_size(); size > largest_snapshot) {
    explain("the program's memory (%zu MiB) is too large to be reset after each execution", size >> 20);
    return Again::not_known;
  }
  // The rest of --time is for executions.
  const std::uint64_t now = monotonic_now(), end = channel_.request.deadline;
  const std::uint64_t deadline = end == 0 ? 0 : now + (end > now ? (end - now) / 2 : 0);
  // Whatever goes wrong in a child process leaves nothing behind.
  const std::optional<int> status = process_.run_in_copy([&] { compare_two_executions(number); }, deadline);
  if (!status) return Again::same;
  if (deadline != 0 && monotonic_now() >= deadline) {
    explain("whether the program can be run again in one process was not known after half of --time");
    return Again::not_known;
  }
  if (WIFSIGNALED(*status))
    explain("running the program twice in one process ended with signal %d (%s)", WTERMSIG(*status),
            ::strsignal(WTERMSIG(*status)));
  if (ledger_.has_failed()) ledger_.finish();
  return channel_.progress.isolation_reason[0] == '\0' ? Again::same : Again::differs;
}

void IsolationChoice::require_shared_process(std::uint64_t number) {
  methods_.make("random");
  const Again again = compare_in_child(number);
  char* const reason = channel_.progress.isolation_reason;
  char text[768];
  std::snprintf(
      text, sizeof text,
      "no execution was made: the executions of a search share one process, and %.500s; heddle test gives each "
      "execution a process of its own",
      reason);
  reason[0] = '\0';  // a search uses no other isolation
  if (again == Again::differs) ledger_.fail(Failure::unsupported, text);
  methods_.make(channel_.request.run.strategy.view());
}

}  // namespace heddle::engine
