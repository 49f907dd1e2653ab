#include "story/aba.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/words.hpp"

namespace heddle::story {

namespace {

// A story lists the values that a location had. More of them do not help a reader.
constexpr std::size_t most_changes = 6;

bool is_exchange(const Event& event) {
  return event.kind == EventKind::rmw && event.operation.find("compare_exchange") != std::string::npos;
}

bool reads_value(const Event& event) { return event.reads_memory() || event.kind == EventKind::plain_read; }

bool writes_value(const Event& event) {
  return event.kind == EventKind::store || event.kind == EventKind::rmw || event.kind == EventKind::plain_write;
}

bool overlap(const ExecutionLog& log, const Event& a, const Event& b) {
  if (!a.location || !b.location) return false;
  const Location &one = log.locations[*a.location], &other = log.locations[*b.location];
  if (one.address.value == 0 || other.address.value == 0) return a.location == b.location;
  const std::uint64_t size = std::max({a.size, one.size, std::size_t{1}});
  const std::uint64_t other_size = std::max({b.size, other.size, std::size_t{1}});
  return one.address.value < other.address.value + other_size && other.address.value < one.address.value + size;
}

/// The read of the thread, before `exchange`, from which the expected value comes: the newest one that found this
/// value.
std::optional<EventNumber> read_of_expected(const ExecutionLog& log, EventNumber exchange) {
  const Event& end = log.events[exchange];
  for (EventNumber i = exchange; i-- > 0;) {
    const Event& event = log.events[i];
    if (event.thread != end.thread || event.location != end.location) continue;
    if (!event.reads_memory()) return std::nullopt;
    return event.read == end.read && event.reads_from ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

/// The writes in modification order after the one that `read` reads, up to the one that `exchange` reads.
std::vector<EventNumber> changes_between(const ExecutionLog& log, EventNumber read, EventNumber exchange) {
  const Event &before = log.events[read], &after = log.events[exchange];
  const auto& order = log.locations[*after.location].modification_order;
  std::vector<EventNumber> changes;
  for (std::size_t at = log.events[*before.reads_from].mo_position + 1;
       at < order.size() && at <= log.events[*after.reads_from].mo_position; ++at)
    changes.push_back(order[at]);
  return changes;
}

/// Another thread overwrote or freed what the event read, before `end`.
std::optional<EventNumber> find_reuse(const ExecutionLog& log, EventNumber read, EventNumber end) {
  const Event& event = log.events[read];
  for (EventNumber i = read + 1; i < end; ++i) {
    const Event& other = log.events[i];
    if (!other.thread || other.thread == event.thread || !overlap(log, event, other)) continue;
    const bool changes_it = writes_value(other) && (!other.written || other.written != event.read);
    if (changes_it || other.kind == EventKind::free || other.kind == EventKind::allocation) return i;
  }
  return std::nullopt;
}

/// The free of the block that the value points to, unless the block has been allocated again before `end`.
std::optional<EventNumber> find_free_of(const ExecutionLog& log, graph::Value pointer, EventNumber end) {
  for (EventNumber i = end; i-- > 0;) {
    const Event& event = log.events[i];
    if ((event.kind != EventKind::free && event.kind != EventKind::allocation) || !event.location) continue;
    const std::uint64_t block = log.locations[*event.location].address.value;
    if (static_cast<std::uint64_t>(pointer) - block >= std::max<std::uint64_t>(event.size, 1)) continue;
    return event.kind == EventKind::free ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

bool complete(const ExecutionLog& log, Aba& aba) {
  const Event& exchange = log.events[aba.exchange];
  for (EventNumber i = aba.exchange; i-- > aba.read + 1;) {
    const Event& event = log.events[i];
    if (event.thread != exchange.thread || !reads_value(event) || event.location == exchange.location) continue;
    if (!event.read || event.read != exchange.written) continue;
    aba.outdated = i;
    // A stale read was out of date from the beginning.
    if (event.is_stale()) aba.reuse = event.missed.back();
    if (!aba.reuse) aba.reuse = find_reuse(log, i, aba.exchange);
    if (!aba.reuse && is_pointer(*exchange.written, exchange.size))
      aba.reuse = find_free_of(log, *exchange.written, aba.exchange);
    return aba.reuse.has_value();
  }
  return false;
}

std::string thread_of(const ExecutionLog& log, const Event& event) {
  return event.thread ? log.threads[*event.thread].label : "T0";
}

std::string at_place(const ExecutionLog& log, const Event& event) {
  const std::string place = short_place(log, place_of(event));
  return place.empty() ? "" : " at " + place;
}

/// Whether the value is an address in the block of the finding.
bool points_to_block(const findings::MemoryObject& block, const std::optional<graph::Value>& value) {
  return value && static_cast<std::uint64_t>(*value) - block.block < std::max<std::uint64_t>(block.block_size, 1);
}

}  // namespace

std::optional<Aba> find_aba(const ExecutionLog& log) {
  for (EventNumber i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    if (!is_exchange(event) || !event.location || !event.reads_from || !event.written) continue;
    const auto read = read_of_expected(log, i);
    if (!read || log.events[*read].reads_from == event.reads_from) continue;
    Aba aba{*read, i, changes_between(log, *read, i), i, {}};
    const bool has_changed = std::any_of(aba.changes.begin(), aba.changes.end(),
                                         [&](EventNumber change) { return log.events[change].written != event.read; });
    if (has_changed && complete(log, aba)) return aba;
  }
  return std::nullopt;
}

std::string aba_text(const ExecutionLog& log, const Aba& aba) {
  const Event &read = log.events[aba.read], &exchange = log.events[aba.exchange];
  const std::string variable = variable_text(log, exchange);
  std::string changes;
  for (std::size_t i = 0; i < aba.changes.size(); ++i) {
    if (aba.changes.size() > most_changes && i >= most_changes / 2 && i + most_changes / 2 < aba.changes.size()) {
      if (i == most_changes / 2) changes += ", ...";
      continue;
    }
    const Event& change = log.events[aba.changes[i]];
    changes += fmt::format("{} became {}{} ({}{})", changes.empty() ? "" : ",",
                           change.written ? value_text(log, *change.written, change.size) : "a value",
                           change.written == read.read ? " again" : "", thread_of(log, change), at_place(log, change));
  }
  return fmt::format(
      "ABA: {} was {} when {} read it{},{}: the compare_exchange of {}{} succeeded although the value had changed in "
      "between, and wrote {}, which was out of date since {} of {}{}",
      variable, value_text(log, *read.read, read.size), thread_of(log, read), at_place(log, read), changes,
      thread_of(log, exchange), at_place(log, exchange), value_text(log, *exchange.written, exchange.size),
      noun_text(log, *aba.reuse), thread_of(log, log.events[*aba.reuse]), "");
}

std::string aba_advice(const ExecutionLog& log, const Aba& aba) {
  const Event& exchange = log.events[aba.exchange];
  const std::string variable = variable_text(log, exchange);
  if (is_pointer(*exchange.read, exchange.size))
    return fmt::format(
        "add a tag to {} that every write increments, protect the object by a hazard pointer, or defer its reclamation "
        "until no thread can hold the pointer (epochs, RCU)",
        variable);
  return fmt::format(
      "add a tag to {} that every write increments, or do not use an element again while a thread may "
      "hold its number",
      variable);
}

std::optional<PinnedPointer> find_pinned_pointer(const findings::Finding& finding, const ExecutionLog& log,
                                                 EventNumber use, EventNumber free) {
  if (!finding.object || finding.object->place != findings::Place::heap) return std::nullopt;
  const findings::MemoryObject& block = *finding.object;
  const auto user = log.events[use].thread, owner = log.events[free].thread;
  if (!user || !owner || user == owner) return std::nullopt;
  for (EventNumber i = use; i-- > 0;) {
    const Event& event = log.events[i];
    if (event.thread != user || !event.reads_memory() || !points_to_block(block, event.read)) continue;
    PinnedPointer found{i, {}, false};
    for (EventNumber at = 0; at < log.events.size(); ++at) {
      const Event& other = log.events[at];
      if (other.location != event.location) continue;
      found.is_exchanged |= is_exchange(other) || other.kind == EventKind::failed_exchange;
      if (at < free && other.thread == owner && other.kind == EventKind::rmw && points_to_block(block, other.read))
        found.removal = at;
      if (at < free && other.thread == owner && other.kind == EventKind::store &&
          !points_to_block(block, other.written))
        found.removal = at;
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace heddle::story
