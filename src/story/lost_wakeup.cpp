#include "story/lost_wakeup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/waiting.hpp"
#include "story/words.hpp"

namespace heddle::story {

namespace {

// How many reads of the thread before its wait may be tests of the condition.
constexpr std::size_t most_tests = 32;

bool is_signal(const Event& event) {
  return event.operation == "condition signal" || event.operation == "condition broadcast";
}
bool reads_value(const Event& event) {
  return event.kind == EventKind::load || event.kind == EventKind::rmw || event.kind == EventKind::plain_read ||
         event.kind == EventKind::failed_exchange;
}
bool writes_value(const Event& event) {
  return event.kind == EventKind::store || event.kind == EventKind::rmw || event.kind == EventKind::plain_write;
}

bool is_common(const std::vector<HeldLock>& locks, LocationNumber location) {
  return std::any_of(locks.begin(), locks.end(), [&](const HeldLock& lock) { return lock.location == location; });
}

std::string at_place(const ExecutionLog& log, const Event& event) {
  const std::string place = short_place(log, place_of(event));
  return place.empty() ? "" : " at " + place;
}

std::string thread_of(const ExecutionLog& log, EventNumber event) {
  const auto thread = log.events[event].thread;
  return thread ? log.threads[*thread].label : "T0";
}

class Search {
 public:
  Search(const findings::ThreadState& waiter, const ExecutionLog& log) : waiter_(waiter), log_(log) {}

  std::optional<LostWakeup> find() {
    if (!find_wait()) return std::nullopt;
    if (const auto later = signal_after(out_.wait)) {
      out_.signal = later;
      out_.kind = LostWakeup::Kind::woke_another;
      return out_;
    }
    out_.signal = signal_before(out_.wait);
    find_mutex();
    std::size_t tests = 0;
    for (EventNumber i = out_.wait; i-- > 0 && tests < most_tests;) {
      const Event& event = log_.events[i];
      if (event.thread != thread_ || !event.location || !reads_value(event)) continue;
      if (!log_.locations[*event.location].object.empty()) continue;
      ++tests;
      if (try_test(i)) return out_;
    }
    if (!out_.signal) return std::nullopt;
    out_.kind = LostWakeup::Kind::not_tested;
    return out_;
  }

 private:
  /// The last event of the thread is the one by which it began to wait: the unlock of the mutex.
  bool find_wait() {
    for (ThreadNumber i = 0; i < log_.threads.size(); ++i)
      if (log_.threads[i].label == waiter_.thread) thread_ = i;
    const auto last = thread_ ? log_.last_of(*thread_, log_.events.size()) : std::nullopt;
    if (!last) return false;
    out_.wait = *last;
    return true;
  }

  std::optional<EventNumber> signal_before(EventNumber end) const {
    for (EventNumber i = end; i-- > 0;)
      if (is_signal(log_.events[i]) && is_of_waiter(log_.events[i])) return i;
    return std::nullopt;
  }

  std::optional<EventNumber> signal_after(EventNumber begin) const {
    const auto newest = signal_before(log_.events.size());
    return newest && *newest > begin ? newest : std::nullopt;
  }

  bool is_of_waiter(const Event& event) const {
    return event.location && waiter_.object && log_.locations[*event.location].address.value == waiter_.object->value;
  }

  void find_mutex() {
    const auto location = log_.events[out_.wait].location;
    for (const HeldLock& lock : locks_held(log_, out_.wait))
      if (location == lock.location || log_.events[out_.wait].kind != EventKind::unlock) out_.mutex = lock.acquired;
  }

  /// Whether another thread changed what the event read, so that the event is the test that came too early.
  bool try_test(EventNumber test) {
    std::optional<EventNumber> change = newest_change(test);
    if (!change) return false;
    out_.test = test;
    out_.change = change;
    out_.is_tested_under_mutex = out_.mutex && *out_.mutex < test;
    if (out_.mutex)
      out_.is_changed_under_mutex = is_common(locks_held(log_, *change), *log_.events[*out_.mutex].location);
    const bool is_signalled_after =
        out_.signal && *out_.signal > *change && log_.events[*out_.signal].thread == log_.events[*change].thread;
    if (is_signalled_after)
      out_.kind = LostWakeup::Kind::change_between;
    else if (out_.signal && *out_.signal < *change && log_.events[*out_.signal].thread == log_.events[*change].thread)
      out_.kind = LostWakeup::Kind::signal_first;
    else
      out_.kind = LostWakeup::Kind::no_signal;
    return true;
  }

  /// Of other threads, to the location of the test, after it; with another value.
  std::optional<EventNumber> newest_change(EventNumber test) const {
    const Event& read = log_.events[test];
    const auto is_change = [&](const Event& event) {
      return event.location == read.location && event.thread && event.thread != thread_ && writes_value(event) &&
             (!event.written || !read.read || event.written != read.read);
    };
    for (EventNumber i = log_.events.size(); i-- > test;)
      if (is_change(log_.events[i])) return i;
    // A stale read missed a write that came before it.
    if (read.is_stale() && is_change(log_.events[read.missed.back()])) return read.missed.back();
    return std::nullopt;
  }

  const findings::ThreadState& waiter_;
  const ExecutionLog& log_;
  std::optional<ThreadNumber> thread_;
  LostWakeup out_;
};

}  // namespace

std::optional<LostWakeup> find_lost_wakeup(const findings::ThreadState& waiter, const ExecutionLog& log) {
  return Search(waiter, log).find();
}

std::string lost_wakeup_text(const findings::ThreadState& waiter, const ExecutionLog& log, const LostWakeup& lost) {
  const Event& wait = log.events[lost.wait];
  if (lost.kind == LostWakeup::Kind::not_tested)
    return fmt::format("{} of {} came before {} began to wait{}, so nothing wakes it", noun_text(log, *lost.signal),
                       thread_of(log, *lost.signal), waiter.thread, at_place(log, wait));
  if (lost.kind == LostWakeup::Kind::woke_another)
    return fmt::format("{} of {} woke another thread, and no further one follows, so nothing wakes {}, which waits{}",
                       noun_text(log, *lost.signal), thread_of(log, *lost.signal), waiter.thread, at_place(log, wait));
  const Event &test = log.events[*lost.test], &change = log.events[*lost.change];
  const std::string read = fmt::format("{} read {} from {}{}", waiter.thread,
                                       test.read ? value_text(log, *test.read, test.size) : "the old value",
                                       variable_text(log, test), at_place(log, test));
  const std::string stored = fmt::format(
      "{} {} {}{}", thread_of(log, *lost.change), change.kind == EventKind::plain_write ? "wrote" : "stored",
      change.written ? value_text(log, *change.written, change.size) : "a new value", at_place(log, change));
  const std::string signalled = lost.signal ? at_place(log, log.events[*lost.signal]) : "";
  switch (lost.kind) {
    case LostWakeup::Kind::change_between:
      return fmt::format("{}; {} and notified{}; only then {} began to wait{}, so nothing wakes it", read, stored,
                         signalled, waiter.thread, at_place(log, wait));
    case LostWakeup::Kind::signal_first:
      return fmt::format(
          "{}; {} notified{} before it made the change: {}; no notification follows, so nothing wakes it", read,
          thread_of(log, *lost.signal), signalled, stored);
    default:
      return fmt::format("{} and began to wait{}; {}, but no notification follows, so nothing wakes it", read,
                         at_place(log, wait), stored);
  }
}

std::string lost_wakeup_advice(const ExecutionLog& log, const LostWakeup& lost) {
  const std::string usual = "test the condition under the mutex before each wait, and change it under the same mutex";
  if (lost.kind == LostWakeup::Kind::not_tested) return usual;
  if (lost.kind == LostWakeup::Kind::woke_another)
    return "notify all waiting threads (notify_all, pthread_cond_broadcast), or once for each of them";
  const std::string variable = variable_text(log, log.events[*lost.change]);
  const std::string mutex = lost.mutex ? variable_text(log, log.events[*lost.mutex]) : "the mutex";
  if (lost.kind == LostWakeup::Kind::signal_first) return fmt::format("change {} first, and notify then", variable);
  if (lost.kind == LostWakeup::Kind::no_signal) return fmt::format("notify after each change of {}", variable);
  if (!lost.is_tested_under_mutex)
    return fmt::format("test {} while holding {}, in the critical section of the wait, before each wait", variable,
                       mutex);
  if (!lost.is_changed_under_mutex)
    return fmt::format("hold {} while changing {}: then the change cannot come between the test and the wait", mutex,
                       variable);
  return usual;
}

}  // namespace heddle::story
