#include "story/lost_futex.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/words.hpp"

namespace heddle::story {

namespace {

// How many reads of the thread before its wait may be tests of the condition.
constexpr std::size_t most_tests = 32;

class Search {
 public:
  Search(const findings::ThreadState& waiter, const ExecutionLog& log) : waiter_(waiter), log_(log) {}

  std::optional<LostFutexWakeup> find() {
    if (!find_look()) return std::nullopt;
    if (find_later_change() || find_changes_of_word() || find_condition()) return out_;
    return std::nullopt;
  }

 private:
  /// The last event of the thread is the kernel's look at the word.
  bool find_look() {
    for (ThreadNumber i = 0; i < log_.threads.size(); ++i)
      if (log_.threads[i].label == waiter_.thread) thread_ = i;
    if (!thread_ || !waiter_.object) return false;
    for (EventNumber i = log_.events.size(); i-- > 0;) {
      const Event& event = log_.events[i];
      if (event.thread != thread_ || !event.location || !event.reads_memory()) continue;
      if (log_.locations[*event.location].address.value != waiter_.object->value || !event.read || !event.reads_from)
        return false;
      out_.look = i;
      return true;
    }
    return false;
  }

  const Event& look() const { return log_.events[out_.look]; }
  const std::vector<EventNumber>& writes() const { return log_.locations[*look().location].modification_order; }
  std::size_t position_read() const { return log_.events[*look().reads_from].mo_position; }
  bool is_of_others(EventNumber write) const {
    return log_.events[write].thread && log_.events[write].thread != thread_ && log_.events[write].written;
  }

  /// Looks of the kernel before earlier sleeps are no tests of the program.
  bool is_look(const Event& event) const {
    const auto &pcs = event.stack.pcs, &of_look = look().stack.pcs;
    return !pcs.empty() && !of_look.empty() && pcs.front() == of_look.front();
  }

  /// The word has another value at the end.
  bool find_later_change() {
    const auto& order = writes();
    if (order.empty() || log_.events[order.back()].written == look().read) return false;
    for (std::size_t at = position_read() + 1; at < order.size(); ++at) {
      if (!is_of_others(order[at]) || log_.events[order[at]].written == look().read) continue;
      out_.kind = LostFutexWakeup::Kind::changed_after;
      out_.change = order[at];
      return true;
    }
    return false;
  }

  /// The word has the expected value, but had another one since the thread tested it.
  bool find_changes_of_word() {
    for (EventNumber i = out_.look; i-- > 0;) {
      const Event& event = log_.events[i];
      if (event.thread != thread_ || event.location != look().location || is_look(event)) continue;
      if (event.reads_memory() && event.kind != EventKind::rmw && event.read && event.read != look().read) {
        if (!is_of_others(*look().reads_from)) return false;
        out_.kind = LostFutexWakeup::Kind::other_value;
        out_.test = i;
        out_.change = *look().reads_from;
        return true;
      }
      const bool is_read = event.kind == EventKind::load || event.kind == EventKind::failed_exchange;
      const auto source = is_read ? event.reads_from : std::optional(i);
      if (!source || (is_read ? event.read : event.written) != look().read) return false;
      for (std::size_t at = log_.events[*source].mo_position + 1; at < position_read(); ++at) {
        if (log_.events[writes()[at]].written == look().read || !is_of_others(writes()[at])) continue;
        out_.kind = LostFutexWakeup::Kind::changed_back;
        out_.test = i;
        out_.change = writes()[at];
        return true;
      }
      if (!is_read) return false;
    }
    return false;
  }

  /// Another variable: the thread tested it, then another thread changed it, and after that the word.
  bool find_condition() {
    const EventNumber stored = *look().reads_from;
    if (!is_of_others(stored)) return false;
    std::size_t tests = 0;
    for (EventNumber i = out_.look; i-- > 0 && tests < most_tests;) {
      const Event& event = log_.events[i];
      if (event.thread != thread_ || !event.location) continue;
      if (event.kind == EventKind::store || event.kind == EventKind::rmw) return false;
      if (event.location == look().location) continue;
      if (event.kind != EventKind::load || !event.read || !event.reads_from) continue;
      ++tests;
      const auto& order = log_.locations[*event.location].modification_order;
      for (std::size_t at = log_.events[*event.reads_from].mo_position + 1; at < order.size(); ++at) {
        if (!is_of_others(order[at]) || log_.events[order[at]].written == event.read) continue;
        if (log_.events[order[at]].thread != log_.events[stored].thread || order[at] > stored) continue;
        out_.kind = LostFutexWakeup::Kind::condition_before;
        out_.test = i;
        out_.change = order[at];
        return true;
      }
    }
    return false;
  }

  const findings::ThreadState& waiter_;
  const ExecutionLog& log_;
  std::optional<ThreadNumber> thread_;
  LostFutexWakeup out_;
};

std::string at_place(const ExecutionLog& log, EventNumber event) {
  const std::string place = short_place(log, place_of(log.events[event]));
  return place.empty() ? "" : " at " + place;
}

std::string value_read(const ExecutionLog& log, EventNumber event) {
  return value_text(log, *log.events[event].read, log.events[event].size);
}

std::string value_written(const ExecutionLog& log, EventNumber event) {
  return value_text(log, *log.events[event].written, log.events[event].size);
}

/// "T0 stored 1 at line 18".
std::string change_text(const ExecutionLog& log, EventNumber change) {
  const Event& event = log.events[change];
  return fmt::format("{} stored {}{}", log.threads[*event.thread].label, value_written(log, change),
                     at_place(log, change));
}

}  // namespace

std::optional<LostFutexWakeup> find_lost_futex(const findings::ThreadState& waiter, const ExecutionLog& log) {
  return Search(waiter, log).find();
}

std::string lost_futex_text(const findings::ThreadState& waiter, const ExecutionLog& log, const LostFutexWakeup& lost) {
  const std::string word = variable_text(log, log.events[lost.look]);
  const std::string sleeps = fmt::format("{} waits{} while {} is {}", waiter.thread, at_place(log, lost.look), word,
                                         value_read(log, lost.look));
  const std::string change = change_text(log, lost.change);
  switch (lost.kind) {
    case LostFutexWakeup::Kind::changed_after:
      return fmt::format("{}; {}, but no wake-up came to {} after that", sleeps, change, waiter.thread);
    case LostFutexWakeup::Kind::changed_back:
      return fmt::format("{}; since its access{}, {}, and the word changed back before it was asleep (ABA)", sleeps,
                         at_place(log, *lost.test), change);
    case LostFutexWakeup::Kind::other_value:
      return fmt::format("{}, and no thread is left that wakes it; before, it had read {}{}, and in between, {}",
                         sleeps, value_read(log, *lost.test), at_place(log, *lost.test), change);
    default:
      return fmt::format("{}, which {} stored{} after it had stored {} to {}{}; {} had read {} from {} before{}",
                         sleeps, log.threads[*log.events[lost.change].thread].label,
                         at_place(log, *log.events[lost.look].reads_from), value_written(log, lost.change),
                         variable_text(log, log.events[lost.change]), at_place(log, lost.change), waiter.thread,
                         value_read(log, *lost.test), variable_text(log, log.events[*lost.test]),
                         at_place(log, *lost.test));
  }
}

std::string lost_futex_advice(const ExecutionLog& log, const LostFutexWakeup& lost) {
  const std::string word = variable_text(log, log.events[lost.look]);
  switch (lost.kind) {
    case LostFutexWakeup::Kind::changed_after:
      return fmt::format("wake all threads that wait for {} after this change", word);
    case LostFutexWakeup::Kind::changed_back:
      return "wait for a word that does not take an earlier value again, such as a counter or the number of the "
             "waiting "
             "thread";
    case LostFutexWakeup::Kind::other_value:
      return fmt::format(
          "if the wait must not begin with {}: test {} again, and wait only while it has the value that this test "
          "read; "
          "otherwise, a thread has to change {} and to wake those that wait",
          value_read(log, lost.look), word, word);
    default:
      return fmt::format("read {} before the test of {}, and wait only while it has the value that was read then", word,
                         variable_text(log, log.events[*lost.test]));
  }
}

}  // namespace heddle::story
