// Builds the log of an execution from the records of its replay.
#include <algorithm>
#include <map>
#include <set>

#include "findings/stack_ends.hpp"
#include "story/execution_log.hpp"
#include "story/location_names.hpp"
#include "story/log_records.hpp"
#include "story/shared_accesses.hpp"
#include "story/synchronisation.hpp"
#include "story/words.hpp"

namespace heddle::story {

namespace {

using channel::AccessKind;
using channel::log_nothing;

graph::Value joined(const std::uint64_t (&halves)[2]) { return static_cast<graph::Value>(halves[1]) << 64 | halves[0]; }

EventKind kind_of(const channel::LoggedEvent& event) {
  switch (event.kind) {
    case graph::EventKind::init: return EventKind::init;
    case graph::EventKind::load:
      if (event.order == MemoryOrder::plain) return EventKind::plain_read;
      return event.failed_exchange ? EventKind::failed_exchange : EventKind::load;
    case graph::EventKind::store: return event.order == MemoryOrder::plain ? EventKind::plain_write : EventKind::store;
    case graph::EventKind::rmw: return EventKind::rmw;
    case graph::EventKind::fence: return event.order == MemoryOrder::plain ? EventKind::other : EventKind::fence;
    case graph::EventKind::lock: return EventKind::lock;
    case graph::EventKind::unlock: return EventKind::unlock;
    case graph::EventKind::create: return EventKind::create;
    case graph::EventKind::start: return EventKind::start;
    case graph::EventKind::join: return EventKind::join;
    case graph::EventKind::finish: return EventKind::finish;
  }
  return EventKind::other;
}

/// In a search, steps on synchronisation objects are read-modify-writes of the object's state, or reads if the step
/// leaves the state as it is.
EventKind kind_of_step(const EventRecord& record) {
  if (record.fields.kind == graph::EventKind::init) return EventKind::init;
  if (record.fields.kind == graph::EventKind::load) return EventKind::other;
  for (const char* release : {"unlock", "post", "signal", "wake"})
    if (record.operation.find(release) != std::string::npos) return EventKind::unlock;
  return EventKind::lock;
}

EventKind kind_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::write: return EventKind::plain_write;
    case AccessKind::allocation: return EventKind::allocation;
    case AccessKind::deallocation: return EventKind::free;
    default: return EventKind::plain_read;
  }
}

/// The stacks of a log: many events have the same one.
class Stacks {
 public:
  Stacks(const findings::ModuleMap& modules, findings::Symbolizer& symbolizer)
      : modules_(modules), symbolizer_(symbolizer) {}

  const findings::Stack& get(const std::vector<std::uint64_t>& pcs) {
    const auto known = stacks_.find(pcs);
    if (known != stacks_.end()) return known->second;
    findings::Stack stack{pcs, {}};
    symbolizer_.symbolize(stack, modules_);
    return stacks_.emplace(pcs, std::move(stack)).first->second;
  }
  /// Whether the access belongs to the start of a thread, or its function, as the compiler emitted it, to the C++
  /// library. A function of the program that is inlined there, such as a predicate for a wait, is the program's code.
  bool is_library_code(const std::vector<std::uint64_t>& pcs) {
    bool is_inside = false;  // of the library's function
    for (const findings::Frame& frame : get(pcs).frames) {
      if (frame.function.starts_with("std::thread::")) return true;
      if (!is_inside && frame.inlined && !frame.file.empty() && !findings::is_library_frame(frame)) return false;
      is_inside = true;
      if (!frame.inlined) return findings::is_library_frame(frame);
    }
    return false;
  }

 private:
  const findings::ModuleMap& modules_;
  findings::Symbolizer& symbolizer_;
  std::map<std::vector<std::uint64_t>, findings::Stack> stacks_;
};

class LogBuilder {
 public:
  LogBuilder(const LogRecords& records, const findings::ModuleMap& modules, findings::Symbolizer& symbolizer)
      : in_(records), modules_(modules), symbolizer_(symbolizer), stacks_(modules, symbolizer) {}

  ExecutionLog build() {
    for (const ThreadRecord& thread : in_.threads) {
      log_.graph_threads.push_back(thread.number);
      log_.threads.push_back({thread.label});
    }
    const auto kept =
        shared_accesses(in_, [&](const PlainRecord& access) { return stacks_.is_library_code(access.stack); });
    order_events(kept);
    for (const Source& source : sources_) source.is_plain ? add_plain(source.number) : add_event(source.number);
    link_events();
    find_modification_orders();
    find_missed_writes();
    find_switches();
    add_synchronisation(log_);
    for (std::size_t i = 0; i < log_.events.size(); ++i)
      for (const std::uint32_t release : synchronised_[i])
        log_.events[i].synchronises_with.push_back(number_of_[release]);
    LocationNames(in_, blocks_, modules_, symbolizer_).add_names(log_);
    for (const Event& event : log_.events) add_pointers(event);
    std::set<std::string> files;
    for (const Event& event : log_.events)
      if (!is_in_library(event)) files.insert(place_of(event).file);
    log_.has_one_file = files.size() == 1;
    return std::move(log_);
  }

 private:
  /// Where an event of the log comes from.
  struct Source {
    bool is_plain;
    std::size_t number;  ///< in LogRecords::plain or LogRecords::events
  };

  /// Puts plain accesses between the events. A plain store that an atomic access found in memory is an event of the
  /// graph, too: it takes the place of the access.
  void order_events(const std::vector<std::size_t>& kept) {
    std::map<std::size_t, std::size_t> imported;  // from plain accesses to their events
    std::vector<bool> is_import(in_.events.size());
    for (std::size_t i = 0; i < in_.events.size(); ++i)
      if (const auto access = access_of_import(in_.events[i].fields); access && !imported.contains(*access)) {
        imported[*access] = i;
        is_import[i] = true;
      }
    std::vector<std::size_t> accesses = kept;
    for (const auto& [access, event] : imported) accesses.push_back(access);
    std::sort(accesses.begin(), accesses.end());
    accesses.erase(std::unique(accesses.begin(), accesses.end()), accesses.end());
    for (std::size_t i = 0; i < in_.events.size(); ++i)
      if (in_.events[i].fields.kind == graph::EventKind::init) sources_.push_back({false, i});
    auto next = accesses.begin();
    const auto add_accesses_before = [&](std::size_t event) {
      for (; next != accesses.end() && in_.plain[*next].fields.events_before <= event; ++next) {
        const auto found = imported.find(*next);
        sources_.push_back(found != imported.end() ? Source{false, found->second} : Source{true, *next});
      }
    };
    for (std::size_t i = 0; i < in_.events.size(); ++i) {
      add_accesses_before(i);
      if (!is_import[i] && in_.events[i].fields.kind != graph::EventKind::init) sources_.push_back({false, i});
    }
    add_accesses_before(log_nothing);
  }

  /// The plain write that the event stands for, if the log has it.
  std::optional<std::size_t> access_of_import(const channel::LoggedEvent& event) const {
    if (event.kind != graph::EventKind::store || event.order != MemoryOrder::plain || event.thread == log_nothing)
      return std::nullopt;
    const std::uint64_t address = in_.locations[event.location].address;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < in_.plain.size(); ++i) {
      const auto& access = in_.plain[i].fields;
      if (access.kind == AccessKind::write && access.thread == event.thread && access.index == event.index &&
          access.address <= address && address < access.address + access.size)
        found = i;
    }
    return found;
  }

  std::optional<ThreadNumber> thread_of(std::uint32_t number) const {
    const auto found = std::find(log_.graph_threads.begin(), log_.graph_threads.end(), number);
    if (found == log_.graph_threads.end()) return std::nullopt;
    return static_cast<ThreadNumber>(found - log_.graph_threads.begin());
  }

  void add_event(std::size_t number) {
    const EventRecord& record = in_.events[number];
    const channel::LoggedEvent& fields = record.fields;
    Event event;
    event.kind = kind_of(fields);
    event.order = fields.order;
    event.operation = event.kind == EventKind::plain_write || event.kind == EventKind::init ? story::name_of(event.kind)
                                                                                            : record.operation;
    event.thread = thread_of(fields.thread);
    event.index = fields.index;
    event.events_before = number;
    event.step = fields.step;
    if (const auto access = access_of_import(fields)) event.step = in_.plain[*access].fields.step;
    event.size = fields.size;
    if (fields.location != log_nothing) event.location = location_of_graph(fields.location);
    const bool is_step =
        event.location && !log_.locations[*event.location].object.empty() && accesses_memory(fields.kind);
    if (is_step) event.kind = kind_of_step(record);
    if (reads(fields.kind)) event.read = joined(fields.read);
    if (writes(fields.kind)) event.written = joined(fields.written);
    if (is_step) event.read = event.written = std::nullopt;  // the state of the object, as heddle encodes it
    event.failed_spuriously = fields.failed_spuriously;
    event.mo_position = fields.mo_position;
    event.clock = record.clock;
    event.stack = stacks_.get(record.stack);
    number_of_[number] = log_.events.size();
    graph_number_.push_back(number);
    synchronised_.push_back(record.synchronised);
    log_.events.push_back(std::move(event));
  }

  void add_plain(std::size_t number) {
    const PlainRecord& record = in_.plain[number];
    const auto& fields = record.fields;
    Event event;
    event.kind = kind_of(fields.kind);
    event.operation = channel::name_of(fields.kind);
    event.thread = thread_of(fields.thread);
    event.index = fields.index;
    event.events_before = fields.events_before;
    event.step = fields.step;
    event.size = fields.size;
    event.location = location_at(fields.address, fields.size);
    if (fields.has_value) (event.kind == EventKind::plain_read ? event.read : event.written) = fields.value;
    event.clock = record.clock;
    event.stack = stacks_.get(record.stack);
    if (event.kind == EventKind::allocation) {
      log_.locations[*event.location].allocation = log_.events.size();
      blocks_.push_back({fields.address, fields.size, log_.events.size()});
    }
    graph_number_.push_back(fields.events_before);
    synchronised_.emplace_back();
    log_.events.push_back(std::move(event));
  }

  LocationNumber location_of_graph(std::uint32_t number) {
    const auto known = graph_locations_.find(number);
    if (known != graph_locations_.end()) return known->second;
    const LocationRecord& record = in_.locations[number];
    Location location;
    location.address.value = record.address;
    location.size = record.size;
    location.object = record.object;
    return graph_locations_[number] = add_location(std::move(location));
  }

  /// Plain accesses to the first byte of an atomic are accesses to the atomic.
  LocationNumber location_at(std::uint64_t address, std::uint64_t size) {
    if (const auto known = by_address_.find({address, size}); known != by_address_.end()) return known->second;
    for (LocationNumber i = 0; i < log_.locations.size(); ++i) {
      const Location& location = log_.locations[i];
      if (location.address.value == address && location.object.empty() && location.size == size) return i;
    }
    Location location;
    location.address.value = address;
    location.size = size;
    return by_address_[{address, size}] = add_location(std::move(location));
  }

  LocationNumber add_location(Location location) {
    log_.locations.push_back(std::move(location));
    return log_.locations.size() - 1;
  }

  /// Addresses differ between processes, so stories name them by letters.
  void add_pointers(const Event& event) {
    for (const auto& value : {event.read, event.written})
      if (value && is_pointer(*value, event.size) &&
          std::find(log_.pointers.begin(), log_.pointers.end(), *value) == log_.pointers.end())
        log_.pointers.push_back(*value);
  }

  void link_events() {
    for (std::size_t i = 0; i < in_.events.size(); ++i) {
      const std::uint32_t source = in_.events[i].fields.reads_from;
      if (source == log_nothing || !number_of_.contains(i) || !number_of_.contains(source)) continue;
      Event& event = log_.events[number_of_[i]];
      const EventNumber write = number_of_[source];
      if (event.read)
        event.reads_from = write;
      else if (log_.events[write].kind == EventKind::unlock && log_.events[write].thread != event.thread)
        event.synchronises_with.push_back(write);
    }
  }

  void find_modification_orders() {
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      const Event& event = log_.events[i];
      const bool is_of_graph =
          event.location && number_of_.contains(graph_number_[i]) && number_of_[graph_number_[i]] == i;
      if (is_of_graph && event.written) log_.locations[*event.location].modification_order.push_back(i);
    }
    for (Location& location : log_.locations) {
      auto& order = location.modification_order;
      std::stable_sort(order.begin(), order.end(), [&](EventNumber a, EventNumber b) {
        return log_.events[a].mo_position < log_.events[b].mo_position;
      });
      for (std::size_t i = 0; i < order.size(); ++i) log_.events[order[i]].mo_position = i;
    }
  }

  void find_missed_writes() {
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      Event& event = log_.events[i];
      if (!event.location) continue;
      const auto& order = log_.locations[*event.location].modification_order;
      const auto earlier_from = [&](std::size_t position, std::vector<EventNumber>& out) {
        for (std::size_t at = position; at < order.size(); ++at)
          if (order[at] < i) out.push_back(order[at]);
      };
      if (event.reads_from) earlier_from(log_.events[*event.reads_from].mo_position + 1, event.missed);
      if (event.kind == EventKind::store) earlier_from(event.mo_position + 1, event.placed_before);
      log_.stale_reads += event.missed.empty() && event.placed_before.empty() ? 0 : 1;
    }
  }

  void find_switches() {
    std::optional<EventNumber> previous;
    for (EventNumber i = 0; i < log_.events.size(); ++i) {
      Event& event = log_.events[i];
      if (!event.thread) continue;
      if (previous && log_.events[*previous].thread != event.thread) {
        event.is_switch = true;
        event.is_preemption = was_preempted(*previous, i);
        ++log_.switches;
        log_.preemptions += event.is_preemption ? 1 : 0;
      }
      previous = i;
    }
    for (const channel::LoggedDecision& decision : in_.decisions)
      if (decision.kind == reads_from_choice && number_of_.contains(decision.events_before))
        log_.events[number_of_[decision.events_before]].options = decision.options;
  }

  /// Whether the thread of `before` could have run instead of that of `after`, the next event.
  bool was_preempted(EventNumber before, EventNumber after) const {
    const std::uint32_t thread = log_.graph_threads[*log_.events[before].thread];
    const auto first =
        std::ranges::lower_bound(in_.decisions, graph_number_[before], {}, &channel::LoggedDecision::events_before);
    const auto end =
        std::ranges::upper_bound(in_.decisions, graph_number_[after], {}, &channel::LoggedDecision::events_before);
    return std::any_of(first, end, [&](const channel::LoggedDecision& decision) {
      return decision.kind == thread_choice && decision.could_continue && decision.thread == thread;
    });
  }

  static constexpr std::uint32_t thread_choice = 0;      // strategies::ChoiceKind::thread
  static constexpr std::uint32_t reads_from_choice = 1;  // strategies::ChoiceKind::reads_from

  const LogRecords& in_;
  const findings::ModuleMap& modules_;
  findings::Symbolizer& symbolizer_;
  Stacks stacks_;
  ExecutionLog log_;
  std::vector<Source> sources_;
  std::map<std::size_t, EventNumber> number_of_;  ///< by the number in the graph
  std::vector<std::size_t> graph_number_;         ///< by EventNumber; plain accesses: that of the next event
  std::vector<std::vector<std::uint32_t>> synchronised_;
  std::map<std::uint32_t, LocationNumber> graph_locations_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, LocationNumber> by_address_;
  std::vector<HeapBlock> blocks_;
};

}  // namespace

DecodedLog decode_execution_log(std::span<const std::byte> bytes, const findings::ModuleMap& modules,
                                findings::Symbolizer& symbolizer) {
  const auto records = read_log_records(bytes);
  if (!records) return {std::nullopt, "the execution was not recorded"};
  if (!records->is_complete) return {std::nullopt, "the execution is too long for a story"};
  return {LogBuilder(*records, modules, symbolizer).build(), {}};
}

}  // namespace heddle::story
