#include "story/linearise.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::story {

namespace {

// Plain accesses are compared with each other. Longer executions are told as they were executed.
constexpr std::size_t most_events = 3000;

bool is_plain_access(const Event& event) {
  return event.kind == EventKind::plain_read || event.kind == EventKind::plain_write ||
         event.kind == EventKind::allocation || event.kind == EventKind::free;
}

bool overlap(const ExecutionLog& log, const Event& a, const Event& b) {
  if (!a.location || !b.location) return false;
  const std::uint64_t first = log.locations[*a.location].address.value,
                      second = log.locations[*b.location].address.value;
  return first < second + std::max<std::uint64_t>(b.size, 1) && second < first + std::max<std::uint64_t>(a.size, 1);
}

/// The events in the order of a sequentially consistent machine: program order, reads-from, modification order,
/// from-reads, and the synchronisation of threads and objects have no cycle.
class Linearisation {
 public:
  explicit Linearisation(const ExecutionLog& log)
      : log_(log), next_(log.events.size()), waits_for_(log.events.size(), 0) {}

  /// The old numbers in the new order; nothing: there is a cycle.
  std::optional<std::vector<EventNumber>> find() {
    add_program_order();
    add_communication();
    add_conflicts();
    return sort();
  }

 private:
  void add(EventNumber before, EventNumber after) {
    if (before == after) return;
    next_[before].push_back(after);
    ++waits_for_[after];
  }

  void add_program_order() {
    std::vector<std::optional<EventNumber>> last(log_.threads.size());
    std::optional<EventNumber> last_init;
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      auto& previous = log_.events[i].thread ? last[*log_.events[i].thread] : last_init;
      if (previous) add(*previous, i);
      previous = i;
    }
    // What no thread has done comes first.
    if (!last_init) return;
    std::vector<bool> has_begun(log_.threads.size());
    for (EventNumber i = 0; i < log_.events.size(); ++i)
      if (const auto thread = log_.events[i].thread; thread && !has_begun[*thread]) {
        has_begun[*thread] = true;
        if (*last_init < i) add(*last_init, i);
      }
  }

  void add_communication() {
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      const Event& event = log_.events[i];
      for (const EventNumber source : event.synchronises_with) add(source, i);
      if (!event.reads_from || !event.location) continue;
      add(*event.reads_from, i);
      const auto& order = log_.locations[*event.location].modification_order;
      const std::size_t next = log_.events[*event.reads_from].mo_position + 1;
      if (next < order.size()) add(i, order[next]);
    }
    for (const Location& location : log_.locations)
      for (std::size_t i = 1; i < location.modification_order.size(); ++i)
        add(location.modification_order[i - 1], location.modification_order[i]);
    add_objects();
    add_sleeps();
  }

  /// Operations on one object, such as a mutex, keep their order.
  void add_objects() {
    std::vector<std::optional<EventNumber>> last(log_.locations.size());
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      const Event& event = log_.events[i];
      if (!event.location || log_.locations[*event.location].object.empty()) continue;
      if (auto& previous = last[*event.location]; previous) add(*previous, i);
      last[*event.location] = i;
    }
  }

  /// Whether a signal finds a thread asleep depends on which of the two comes first. In a search the sleep is an event
  /// on the condition variable. Otherwise, the thread sleeps from where it unlocks the mutex of its wait.
  void add_sleeps() {
    for (ThreadNumber thread = 0; thread < log_.threads.size(); ++thread) {
      std::optional<EventNumber> last, last_but_one;
      for (EventNumber i = 0; i < log_.events.size(); ++i) {
        if (log_.events[i].thread != thread) continue;
        const bool has_slept = last && last_but_one && !is_wait(log_.events[*last_but_one]);
        if (has_slept && is_wait(log_.events[i]) && log_.events[*last].kind == EventKind::unlock)
          add_sleep(*last, log_.events[i].location);
        last_but_one = std::exchange(last, i);
      }
      // A thread without a further event may sleep on any condition variable.
      if (last && log_.events[*last].kind == EventKind::unlock) add_sleep(*last, std::nullopt);
    }
  }

  static bool is_wait(const Event& event) { return event.operation == "condition wait"; }

  void add_sleep(EventNumber sleep, std::optional<LocationNumber> condition) {
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      const Event& event = log_.events[i];
      const bool wakes = event.operation == "condition signal" || event.operation == "condition broadcast";
      if (!wakes || event.thread == log_.events[sleep].thread || (condition && event.location != condition)) continue;
      add(std::min(i, sleep), std::max(i, sleep));
    }
  }

  /// Plain accesses have the values of their order of execution.
  void add_conflicts() {
    std::vector<EventNumber> plain;
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      const Event& event = log_.events[i];
      if (!is_plain_access(event)) continue;
      for (const EventNumber other : plain) {
        const Event& earlier = log_.events[other];
        const bool both_read = event.kind == EventKind::plain_read && earlier.kind == EventKind::plain_read;
        if (earlier.thread != event.thread && !both_read && overlap(log_, earlier, event)) add(other, i);
      }
      plain.push_back(i);
    }
  }

  /// Lets a thread run on as long as it can, and then the one whose next event was executed first.
  std::optional<std::vector<EventNumber>> sort() {
    std::vector<EventNumber> order;
    std::vector<EventNumber> ready;
    for (EventNumber i = 0; i < log_.events.size(); ++i)
      if (waits_for_[i] == 0) ready.push_back(i);
    std::optional<ThreadNumber> running;
    while (!ready.empty()) {
      auto chosen = std::min_element(ready.begin(), ready.end());
      const auto same = std::find_if(ready.begin(), ready.end(), [&](EventNumber event) {
        return running && log_.events[event].thread == running;
      });
      if (same != ready.end()) chosen = same;
      const EventNumber event = *chosen;
      ready.erase(chosen);
      order.push_back(event);
      running = log_.events[event].thread;
      for (const EventNumber after : next_[event])
        if (--waits_for_[after] == 0) ready.push_back(after);
    }
    if (order.size() != log_.events.size()) return std::nullopt;
    return order;
  }

  const ExecutionLog& log_;
  std::vector<std::vector<EventNumber>> next_;
  std::vector<std::size_t> waits_for_;
};

std::optional<std::vector<EventNumber>> find_order(const ExecutionLog& log) {
  if (log.events.size() > most_events) return std::nullopt;
  return Linearisation(log).find();
}

void renumber(std::vector<EventNumber>& events, const std::vector<EventNumber>& new_number) {
  for (EventNumber& event : events) event = new_number[event];
}

}  // namespace

std::optional<std::vector<EventNumber>> linearise(ExecutionLog& log) {
  if (log.stale_reads == 0) return std::nullopt;
  const auto order = find_order(log);
  if (!order) return std::nullopt;
  std::vector<EventNumber> new_number(order->size());
  for (EventNumber i = 0; i < order->size(); ++i) new_number[(*order)[i]] = i;
  std::vector<Event> events;
  for (const EventNumber old : *order) events.push_back(std::move(log.events[old]));
  log.events = std::move(events);
  log.switches = log.preemptions = log.stale_reads = 0;
  std::optional<ThreadNumber> running;
  for (Event& event : log.events) {
    if (event.reads_from) event.reads_from = new_number[*event.reads_from];
    renumber(event.synchronises_with, new_number);
    event.missed.clear();
    event.placed_before.clear();
    event.is_switch = event.thread && running && running != event.thread;
    event.is_preemption &= event.is_switch;
    log.switches += event.is_switch ? 1 : 0;
    log.preemptions += event.is_preemption ? 1 : 0;
    if (event.thread) running = event.thread;
  }
  for (Location& location : log.locations) {
    renumber(location.modification_order, new_number);
    if (location.allocation) location.allocation = new_number[*location.allocation];
  }
  return order;
}

bool is_sequentially_consistent(const ExecutionLog& log) { return log.stale_reads == 0 || find_order(log).has_value(); }

}  // namespace heddle::story
