#include "story/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "findings/stack_ends.hpp"
#include "story/lost_futex.hpp"
#include "story/lost_wakeup.hpp"
#include "story/words.hpp"

namespace heddle::story {

namespace {

bool is_lock_object(const Location& location) { return location.object == "mutex" || location.object == "rwlock"; }

std::vector<HeldLock> locks_of(const ExecutionLog& log, ThreadNumber thread, EventNumber end) {
  std::vector<HeldLock> held;
  for (EventNumber i = 0; i < end; ++i) {
    const Event& event = log.events[i];
    if (event.thread != thread || !event.location || !is_lock_object(log.locations[*event.location])) continue;
    if (event.kind == EventKind::lock)
      held.push_back({*event.location, i});
    else if (event.kind == EventKind::unlock)
      std::erase_if(held, [&](const HeldLock& lock) { return lock.location == *event.location; });
  }
  return held;
}

std::string place_of_stack(const ExecutionLog& log, const findings::Stack& stack) {
  Event event;
  event.stack = stack;
  return short_place(log, place_of(event));
}

std::string object_name(const findings::ThreadState& thread) {
  if (!thread.object) return "";
  return thread.object->symbol.empty() ? "" : fmt::format(" `{}`", thread.object->symbol);
}

/// " at line 7" as " (taken at line 7)".
std::string in_brackets(const std::string& at) { return at.empty() ? "" : fmt::format(" (taken{})", at); }

/// What the threads do. Threads that do the same share a clause.
class Sentences {
 public:
  void add(const std::string& thread, const std::string& action) {
    const auto same =
        std::find_if(clauses_.begin(), clauses_.end(), [&](const Clause& c) { return c.action == action; });
    if (same == clauses_.end())
      clauses_.push_back({{thread}, action});
    else
      same->threads.push_back(thread);
  }

  /// "T0 waits for the end of T0.1; each of T0.1 and T0.2 spins at line 7".
  std::string text() const {
    std::string text;
    for (const Clause& clause : clauses_)
      text += fmt::format("{}{}{} {}", text.empty() ? "" : "; ", clause.threads.size() > 1 ? "each of " : "",
                          list_text(clause.threads), clause.action);
    return text;
  }

 private:
  struct Clause {
    std::vector<std::string> threads;
    std::string action;
  };
  std::vector<Clause> clauses_;
};

class Waits {
 public:
  Waits(const findings::Finding& finding, const ExecutionLog& log) : finding_(finding), log_(log) {}

  WaitingStory explain() {
    if (explain_cycle() || explain_lost_signal() || explain_lost_futex()) return std::move(out_);
    Sentences sentences;
    bool all_spin = true;
    for (const findings::ThreadState& thread : finding_.threads) {
      if (thread.activity == findings::Activity::waits_for_thread) continue;
      const bool spins = thread.activity == findings::Activity::spins;
      all_spin &= spins;
      sentences.add(thread.thread, action_of(thread) + (spins ? awaited_value(thread) : ended_holder(thread)));
    }
    out_.cause = sentences.text();
    if (!out_.cause.empty() && out_.advice.empty())
      out_.cause +=
          all_spin ? "; no thread is left that changes what is read" : "; no thread is left that ends the wait";
    add_last_events();
    return std::move(out_);
  }

 private:
  std::optional<ThreadNumber> number_of(const std::string& label) const {
    for (ThreadNumber i = 0; i < log_.threads.size(); ++i)
      if (log_.threads[i].label == label) return i;
    return std::nullopt;
  }

  const findings::ThreadState* state_of(const std::string& label) const {
    const auto found = std::find_if(finding_.threads.begin(), finding_.threads.end(),
                                    [&](const findings::ThreadState& state) { return state.thread == label; });
    return found == finding_.threads.end() ? nullptr : &*found;
  }

  /// "waits for the mutex `m` at line 7".
  std::string action_of(const findings::ThreadState& thread) const {
    const std::string place = place_of_stack(log_, thread.stack);
    const std::string at = place.empty() ? "" : " at " + place;
    switch (thread.activity) {
      case findings::Activity::spins: return fmt::format("spins{}", at);
      case findings::Activity::waits_for_thread: return fmt::format("waits for the end of {}{}", thread.held_by, at);
      default:
        return fmt::format("waits for {}{}{}{}", thread.what.starts_with("a ") ? "" : "the ", thread.what,
                           object_name(thread), at);
    }
  }

  /// " at line 7": where the holder took what `waiter` waits for; empty: not known. The event becomes a step.
  std::string taken_at(const findings::ThreadState& waiter) {
    const auto holder = number_of(waiter.held_by);
    if (!holder || !waiter.object) return "";
    for (const HeldLock& lock : locks_of(log_, *holder, log_.events.size()))
      if (log_.locations[lock.location].address.value == waiter.object->value) {
        out_.events.push_back(lock.acquired);
        const std::string place = short_place(log_, place_of(log_.events[lock.acquired]));
        return place.empty() ? "" : " at " + place;
      }
    return "";
  }

  /// The thread waits for a lock of a thread that has ended.
  std::string ended_holder(const findings::ThreadState& waiter) {
    if (waiter.held_by.empty() || state_of(waiter.held_by) != nullptr) return "";
    out_.advice = "unlock on every way out of the thread: return, exception and cancellation";
    return fmt::format(", which {} took{} and still held when it ended", waiter.held_by, taken_at(waiter));
  }

  std::optional<EventNumber> last_read_of(ThreadNumber thread) const {
    for (EventNumber i = log_.events.size(); i-- > 0;)
      if (log_.events[i].thread == thread && log_.events[i].reads_memory()) return i;
    return std::nullopt;
  }

  /// ": it reads 1 from `taken`, which T0 wrote at line 15". The write becomes a step.
  std::string awaited_value(const findings::ThreadState& spinner) {
    const auto thread = number_of(spinner.thread);
    const auto last = thread ? last_read_of(*thread) : std::nullopt;
    if (!last || !log_.events[*last].location || !log_.events[*last].read) return "";
    const Event& read = log_.events[*last];
    out_.events.push_back(*last);
    std::string text =
        fmt::format(": it reads {} from {}", value_text(log_, *read.read, read.size), variable_text(log_, read));
    // A loop of exchanges reads what it wrote itself in the iteration before.
    auto write = read.reads_from;
    while (write && log_.events[*write].thread == thread && log_.events[*write].kind == EventKind::rmw &&
           log_.events[*write].read == read.read)
      write = log_.events[*write].reads_from;
    if (!write) return text;
    if (!log_.events[*write].thread) return text + ", the initial value";
    out_.events.push_back(*write);
    const std::string place = short_place(log_, place_of(log_.events[*write]));
    const ThreadNumber writer = *log_.events[*write].thread;
    return fmt::format("{}, which {} wrote{}", text, writer == *thread ? "it" : log_.threads[writer].label,
                       place.empty() ? "" : " at " + place);
  }

  bool explain_cycle() {
    if (finding_.cycle.empty()) return false;
    std::size_t locks = 0;
    Sentences sentences;
    for (const std::string& label : finding_.cycle) {
      const findings::ThreadState* thread = state_of(label);
      if (thread == nullptr) return false;
      locks += thread->what == "mutex" || thread->what == "rwlock" ? 1 : 0;
      std::string text = action_of(*thread);
      if (thread->activity != findings::Activity::waits_for_thread)
        text += fmt::format(", which {} holds{}", thread->held_by, in_brackets(taken_at(*thread)));
      sentences.add(label, text);
    }
    out_.cause = sentences.text();
    if (locks == finding_.cycle.size() && locks > 1)
      out_.advice = "take the locks in the same order in every thread, or all at once with std::scoped_lock";
    else if (locks == 1 && finding_.cycle.size() == 1)
      out_.advice = "unlock before locking again, or use a recursive mutex";
    else
      out_.advice = "do not wait for a thread while holding what it needs";
    return true;
  }

  /// A thread waits for a condition variable whose condition holds, or that was signalled before it began to wait.
  bool explain_lost_signal() {
    for (const findings::ThreadState& thread : finding_.threads) {
      if (thread.what != "condition variable" || !thread.object) continue;
      const auto lost = find_lost_wakeup(thread, log_);
      if (!lost) continue;
      for (const auto& event : {lost->test, lost->change, lost->signal})
        if (event) out_.events.push_back(*event);
      out_.texts[lost->wait] = fmt::format("begins to wait for the condition variable{}", object_name(thread));
      out_.cause = lost_wakeup_text(thread, log_, *lost);
      out_.advice = lost_wakeup_advice(log_, *lost);
      add_others(thread);
      return true;
    }
    return false;
  }

  /// A thread sleeps on a futex although what it waits for has happened.
  bool explain_lost_futex() {
    for (const findings::ThreadState& thread : finding_.threads) {
      if (thread.what != "futex") continue;
      const auto lost = find_lost_futex(thread, log_);
      if (!lost) continue;
      out_.events.push_back(lost->change);
      if (lost->test) out_.events.push_back(*lost->test);
      out_.cause = lost_futex_text(thread, log_, *lost);
      out_.advice = lost_futex_advice(log_, *lost);
      add_others(thread);
      return true;
    }
    return false;
  }

  void add_others(const findings::ThreadState& explained) {
    Sentences others;
    for (const findings::ThreadState& other : finding_.threads)
      if (&other != &explained) others.add(other.thread, action_of(other));
    if (const std::string text = others.text(); !text.empty()) out_.cause += "; " + text;
    add_last_events();
  }

  void add_last_events() {
    for (const findings::ThreadState& thread : finding_.threads)
      if (const auto number = number_of(thread.thread))
        if (const auto last = log_.last_of(*number, log_.events.size())) out_.events.push_back(*last);
  }

  const findings::Finding& finding_;
  const ExecutionLog& log_;
  WaitingStory out_;
};

/// Whether a loop that waits can have executed the event: it changes nothing.
bool is_idle(const Event& event) {
  switch (event.kind) {
    case EventKind::load:
    case EventKind::failed_exchange:
    case EventKind::plain_read:
    case EventKind::fence: return true;
    case EventKind::rmw: return event.read == event.written;
    default: return false;
  }
}

}  // namespace

std::vector<HeldLock> locks_held(const ExecutionLog& log, EventNumber event) {
  const auto thread = log.events[event].thread;
  return thread ? locks_of(log, *thread, event) : std::vector<HeldLock>{};
}

WaitingStory explain_waits(const findings::Finding& finding, const ExecutionLog& log) {
  return Waits(finding, log).explain();
}

std::uint64_t switches_before_livelock(const ExecutionLog& log) {
  EventNumber end = log.events.size();
  while (end > 0 && is_idle(log.events[end - 1])) --end;
  const auto changing = std::span(log.events).first(end);
  return static_cast<std::uint64_t>(
      std::count_if(changing.begin(), changing.end(), [](const Event& event) { return event.is_switch; }));
}

}  // namespace heddle::story
